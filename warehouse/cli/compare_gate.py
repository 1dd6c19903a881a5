"""`tw compare --baseline`: options of the gate, and its output: a verdict, rows, or JSON."""

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
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.gate import Rule, Verdict
    from warehouse.query.session import Place

_SHOWN = 20
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class GateRequest:
    """A gate and the run to compare with the baseline."""

    rule: Rule
    runs: tuple[str, ...]


def gate_options(command: Command) -> Command:
    """Adds --baseline and its options; the command gets `request`, a GateRequest or None."""

    @functools.wraps(command)
    def with_request(
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
        request = None
        if baseline is not None or condition is not None:
            named = options.pairs(parameters)
            request = GateRequest(
                _rule(baseline, query_name, condition, named, key, missing), runs or ("latest",)
            )
        elif runs or query_name or parameters or key:
            raise UsageError("--run, --query, -p and --key require --baseline and --fail-if")
        return command(*args, request=request, **kwargs)

    wrapped: Any = with_request
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


_OPTIONS = (
    click.option("--baseline", metavar="RUN", help="Run or tag to compare with."),
    click.option("--query", "query_name", metavar="NAME", help="Query whose rows are compared."),
    click.option(
        "-p",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of that query; repeatable.",
    ),
    click.option(
        "--fail-if",
        "condition",
        metavar="SQL",
        help="Exit with 1 if this SQL condition is true for any row; x is the row of the run, "
        "baseline the matching row of the baseline.",
    ),
    click.option(
        "--run",
        "runs",
        multiple=True,
        metavar="RUN",
        help="Run to compare against the baseline.  [default: latest]",
    ),
    click.option(
        "--key",
        metavar="COLUMNS",
        help="Comma-separated columns to match rows on.  [default: the query's grain]",
    ),
    click.option(
        "--missing",
        type=click.Choice(("fail", "ok")),
        default="fail",
        show_default=True,
        help="Whether rows without a match fail the gate.",
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
    """Returns the gate; raises UsageError when options are incomplete."""
    from warehouse.query.gate import Rule

    if baseline is None or condition is None or query is None:
        raise UsageError("a gate requires --baseline, --query and --fail-if")
    columns = tuple(name.strip() for name in (key or "").split(",") if name.strip())
    return Rule(query, condition, baseline, parameters, columns, missing == "ok")


def evaluate(
    place: Place, request: GateRequest, ranks: tuple[int, ...], *, as_json: bool, quiet: bool
) -> None:
    """Evaluates the gate, prints the result, and exits with 1 if it fails."""
    from warehouse.query import gate as gate

    verdict = gate.judge(place, request.rule, Selection(runs=request.runs, ranks=ranks))
    if as_json:
        click.echo(json.dumps(_json(verdict), indent=2, default=str))
    elif not quiet or verdict.reason:
        _print(verdict)
    for damage in {meta["damage"]: None for meta in verdict.made_from.values() if "damage" in meta}:
        click.echo(f"WARNING: {damage}", err=True)
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
    """Prints the rows to stdout and the verdict to stderr."""
    from warehouse.library.header import Column
    from warehouse.query import encoding
    from warehouse.query.result import QueryResult

    rows = verdict.rows
    if rows.num_rows:
        columns = tuple(Column(field.name, str(field.type)) for field in rows.schema)
        found = QueryResult(rows, columns, {})
        encoding.write(found, "table", sys.stdout.buffer, max_rows=_SHOWN)
        sys.stdout.buffer.flush()
    if rows.num_rows > _SHOWN:
        click.echo(f"({_SHOWN} of {rows.num_rows:,} rows; --format json for all)", err=True)
    reason = verdict.reason or f"not true for any of {verdict.n_compared:,} rows"
    word = "FAIL" if verdict.reason else "pass"
    query = verdict.made_from["x"]["query"]
    sides = f"{query} of {verdict.run} against {verdict.baseline}"
    click.echo(f"{word}: {sides}: {reason}: {verdict.rule.condition.strip()}", err=True)
    for reason, count in verdict.counts.items():
        if reason != "condition is true":
            click.echo(f"  {counted(count, 'row')}: {reason}.", err=True)
