"""`tw compare --baseline`: its options, and what it prints: a verdict, rows, or all as JSON."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.cli import options
from warehouse.errors import ExitCode, UsageError
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.query.gate import Rule, Verdict
    from warehouse.query.session import Place

_SHOWN = 20
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Asked:
    """What to judge, by which run, and which run is judged."""

    rule: Rule
    runs: tuple[str, ...]


def judgement(command: Command) -> Command:
    """Adds --baseline and what goes with it; the command gets `asked`, an Asked or None."""

    @functools.wraps(command)
    def with_asked(
        *args: Any,
        baseline: str | None,
        query_name: str | None,
        parameters: tuple[str, ...],
        condition: str | None,
        runs: tuple[str, ...],
        key: str | None,
        missing: str,
        **kwargs: Any,
    ) -> Any:
        asked = None
        if baseline is not None or condition is not None:
            named = options.pairs(parameters)
            asked = Asked(
                _rule(baseline, query_name, condition, named, key, missing), runs or ("latest",)
            )
        elif runs or query_name or parameters or key:
            raise UsageError("--run, --query, -p and --key go with --baseline and --fail-if")
        return command(*args, asked=asked, **kwargs)

    wrapped: Any = with_asked
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


_OPTIONS = (
    click.option("--baseline", metavar="RUN", help="Judge by this run or tag, instead of A and B."),
    click.option("--query", "query_name", metavar="NAME", help="The query whose rows are judged."),
    click.option("-p", "parameters", multiple=True, metavar="NAME=VALUE", help="Of that query."),
    click.option(
        "--fail-if",
        "condition",
        metavar="SQL",
        help="Exit code 1 when this is true of any row: x is the run's row, baseline the other's.",
    ),
    click.option(
        "--run", "runs", multiple=True, metavar="RUN", help="What is judged.  [default: latest]"
    ),
    click.option(
        "--key",
        metavar="COLUMNS",
        help="Columns on which rows meet, with commas between.  [default: the query's grain]",
    ),
    click.option(
        "--missing",
        type=click.Choice(("fail", "ok")),
        default="fail",
        show_default=True,
        help="What rows on one side only mean.",
    ),
)


def _rule(
    baseline: str | None,
    query: str | None,
    condition: str | None,
    parameters: dict[str, str],
    key: str | None,
    missing: str,
) -> Rule:
    """What is to be judged; raises UsageError for half of it."""
    from warehouse.query.gate import Rule

    if baseline is None or condition is None or query is None:
        raise UsageError("a judgement needs --baseline, --query and --fail-if")
    columns = tuple(name.strip() for name in (key or "").split(",") if name.strip())
    return Rule(query, condition, baseline, parameters, columns, missing == "ok")


def alarm(
    place: Place, asked: Asked, ranks: tuple[int, ...], *, as_json: bool, quiet: bool
) -> None:
    """Judges, prints, and exits with 1 when the condition holds for a row or rows are missing."""
    from warehouse.query import gate as alarms

    verdict = alarms.judge(place, asked.rule, Selection(runs=asked.runs, ranks=ranks))
    if as_json:
        click.echo(json.dumps(_json(verdict), indent=2, default=str))
    elif not quiet or verdict.reason:
        _print(verdict)
    if verdict.reason:
        sys.exit(ExitCode.FAILURE)


def _json(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": "fail" if verdict.reason else "pass",
        "reason": verdict.reason,
        "query": verdict.made_from["x"]["query"],
        "query_hash": verdict.made_from["x"]["query_hash"],
        "condition": verdict.rule.condition,
        "run": verdict.run,
        "baseline": verdict.baseline,
        "key": verdict.key,
        "n_compared": verdict.n_compared,
        "counts": dict(verdict.counts),
        "rows": verdict.rows.to_pylist(),
        "made_from": {side: dict(meta) for side, meta in verdict.made_from.items()},
    }


def _print(verdict: Verdict) -> None:
    """The rows on stdout, the verdict on stderr."""
    from warehouse.library.header import Column
    from warehouse.query import encoding
    from warehouse.query.result import Answer

    rows = verdict.rows
    if rows.num_rows:
        columns = tuple(Column(field.name, str(field.type)) for field in rows.schema)
        found = Answer(rows, columns, {})
        encoding.write(found, "table", sys.stdout.buffer, max_rows=_SHOWN)
        sys.stdout.buffer.flush()
    if rows.num_rows > _SHOWN:
        click.echo(f"({_SHOWN} of {rows.num_rows:,} rows; --format json for all)", err=True)
    said = verdict.reason or f"not true for any of {verdict.n_compared:,} rows"
    word = "FAIL" if verdict.reason else "pass"
    query = verdict.made_from["x"]["query"]
    sides = f"{query} of {verdict.run} against {verdict.baseline}"
    click.echo(f"{word}: {sides}: {said}: {verdict.rule.condition.strip()}", err=True)
    for reason, count in verdict.counts.items():
        if reason != "condition is true":
            click.echo(f"  {count:,} row{'s' * (count != 1)}: {reason}.", err=True)
