"""What `tw compare --fail-if` prints: a verdict, the rows behind it, or all of it as JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from warehouse.errors import ExitCode

if TYPE_CHECKING:
    from warehouse.alarm import Rule, Verdict
    from warehouse.scope import Selection
    from warehouse.session import Place

_SHOWN = 20


def alarm(place: Place, rule: Rule, selection: Selection, *, as_json: bool, quiet: bool) -> None:
    """Judges, prints, and exits with 1 when the condition holds for a row or rows are missing."""
    from warehouse import alarm as alarms

    verdict = alarms.judge(place, rule, selection)
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
    from warehouse import output
    from warehouse.answer import Answer
    from warehouse.header import Column

    rows = verdict.rows
    if rows.num_rows:
        columns = tuple(Column(field.name, str(field.type)) for field in rows.schema)
        found = Answer(rows, columns, {})
        output.write(found, "table", sys.stdout.buffer, max_rows=_SHOWN)
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
