"""`tw compare`: differences between two runs, traces or tags, and gates on them."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse.cli import compare_gate, many_ranks, options, table_options
from warehouse.cli.completion import run_names
from warehouse.cli.emit import is_for_terminal
from warehouse.cli.scope_options import announce
from warehouse.errors import ExitCode, UsageError
from warehouse.query import encoding, slower
from warehouse.query.selection import LISTED_RANKS, Selection, parse_ranks

if TYPE_CHECKING:
    from warehouse.cli.compare_gate import GateRequest
    from warehouse.query.rank_distribution import RankDistribution
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Session

REPORT = "report"
BY = {
    "summary": "compare_summary",
    "kernel": "compare_kernels",
    "op": "compare_ops",
    "collective": "compare_collectives",
    "step": "compare_steps",
    "rank": "compare_ranks",
    "notes": "compare_notes",
}
Row = dict[str, Any]

_USAGE = "Use `tw compare A B`, or --baseline, --query and --fail-if."


@dataclass(frozen=True)
class Output:
    """How rows are written."""

    format: str
    target: Path | None
    is_csv_safe: bool
    quiet: bool
    all_ranks: bool
    is_raw: bool


def _ratio(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Parses a fraction: `5%` or `0.05`."""
    if value is None:
        return None
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*", value)
    if not match:
        raise click.BadParameter(
            f"invalid fraction {value!r}: expected e.g. 5% or 0.05.", ctx, param
        )
    return float(match[1]) / (100 if match[2] else 1)


@click.command()
@click.argument("a", metavar="[A", required=False, shell_complete=run_names)
@click.argument("b", metavar="B]", required=False, shell_complete=run_names)
@click.option(
    "--by",
    type=click.Choice([*BY, *slower.MEASURES]),
    help="Print only this table, with all columns; or the figure that --fail-if-slower judges.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    help="Number of kernels and operators, largest change first.  [default: 10 in the report]",
)
@click.option(
    "--threshold",
    callback=_ratio,
    metavar="SHARE",
    help="Minimum change of kernels and operators shown: 5% or 0.05.",
)
@click.option(
    "--fail-if-slower",
    "limit",
    callback=_ratio,
    metavar="SHARE",
    help="Exit with 1 if B is slower than A by more than this: 5% or 0.05.",
)
@compare_gate.gate_options
@click.option("--rank", "ranks", multiple=True, metavar="RANKS", help="As 3 or 0,2-5; repeatable.")
@click.option(
    "--format",
    "format",
    type=click.Choice([REPORT, *encoding.FORMATS]),
    help="Output format.  [default: by the suffix of -o, else report; with --by, table]",
)
@many_ranks.all_ranks_option
@table_options.raw
@options.output
@options.csv_safe
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@options.lake
@options.database
def compare(
    a: str | None,
    b: str | None,
    by: str | None,
    top: int | None,
    threshold: float | None,
    limit: float | None,
    request: GateRequest | None,
    ranks: tuple[str, ...],
    format: str | None,
    all_ranks: bool,
    is_raw: bool,
    target: Path | None,
    is_csv_safe: bool,
    quiet: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Compare two runs, or a run with a baseline.

    A and B are each a run (name or ID), a trace (RUN/TRACE), tag:NAME or latest; changes are B
    minus A. Means per whole step and rank are compared if both sides have steps, else means per
    recording; the report states which, and names what one side did not record. p is the
    probability of such a difference between steps by chance, q the same corrected for the number
    of rows (docs/compare.md). The tables are the queries compare_summary, compare_kernels,
    compare_ops, compare_collectives, compare_steps, compare_ranks and compare_notes; formats other
    than the report print one of them, by default --by summary.

    With --fail-if-slower the exit code is 1 if B takes more time and the 95 % interval of the
    change lies above 0. Judged is the makespan, the time that a step adds until its work is done on
    host and device; without known device work the step's time on the host; without steps the
    duration of device work, else of operators. --by step_time and the like choose another figure.

    With --baseline, --query and --fail-if, tw evaluates a condition instead: the query runs for the
    run and for the baseline, and rows are matched on the query's grain (ranks, device numbers, step
    numbers, names). The exit code is 1 if the condition is true for any row, if a row has no match,
    or if there are no rows. --format json prints the complete result.

    \b
    Example:
      tw compare before after --by kernel --top 20 --threshold 5%
      tw compare tag:release latest --fail-if-slower 5%
      tw compare job/rank-0 job/rank-1 --by step --format csv
      tw compare --baseline tag:release --query utilization \\
        --fail-if 'x.utilization < baseline.utilization - 0.05'
    """
    from warehouse.query import session

    chosen_ranks = parse_ranks(",".join(ranks)) if ranks else ()
    place = session.Place.of(db, lake=options.chosen_lake(), wait_s=wait_s)
    if request is not None:
        as_json = _says_json(format, (a, by, top, threshold, limit, target))
        return compare_gate.evaluate(place, request, chosen_ranks, as_json=as_json, quiet=quiet)
    by, measure = _table_and_measure(by, limit)
    sides, limits = _sides(a, b), {"top": top, "threshold": threshold or 0.0}
    output = Output(_format(format, by, target), target, is_csv_safe, quiet, all_ranks, is_raw)
    with session.opened(place, Selection(runs=("all",), ranks=chosen_ranks)) as opened:
        found = _write(opened, by, sides, limits, output)
        _fail_if_slower(opened, sides, found, limit, measure)


def _sides(a: str | None, b: str | None) -> dict[str, str]:
    if a is None or b is None:
        raise UsageError("nothing to compare", hint=_USAGE)
    return {"a": a, "b": b}


def _table_and_measure(by: str | None, limit: float | None) -> tuple[str | None, str | None]:
    """Splits --by into the table to print and the figure to judge."""
    if by not in slower.MEASURES:
        return by, None
    if limit is None:
        raise UsageError(f"--by {by} requires --fail-if-slower", hint=f"Tables: {', '.join(BY)}.")
    return None, by


def _format(format: str | None, by: str | None, target: Path | None) -> str:
    chosen = format or (encoding.format_of(target, None) if target else "table" if by else REPORT)
    if by and chosen == REPORT:
        raise UsageError(
            "--by cannot be combined with --format report", hint="Omit --by, or choose a --format."
        )
    options.refuse_binary_on_terminal(chosen, target)
    return chosen


def _says_json(format: str | None, others: tuple[object, ...]) -> bool:
    """Whether to print a verdict as JSON; raises UsageError for options of A/B comparisons."""
    if any(each is not None for each in others) or format not in (None, REPORT, "table", "json"):
        raise UsageError(
            "with --baseline only --format table or json applies",
            hint="Omit A and B, --by, --top, --threshold, --fail-if-slower and -o.",
        )
    return format == "json"


def _result(opened: Session, by: str, sides: dict[str, str], limits: dict[str, Any]) -> QueryResult:
    from warehouse.query.result import QueryResult

    query = opened.queries.find(BY[by])
    known = {parameter.name for parameter in query.parameters}
    values = {**sides, **{name: value for name, value in limits.items() if name in known}}
    result = opened.run(query, values)
    table = result.table()
    return QueryResult(table, result.columns, opened.manifest(query, result.parameters))


def _fail_if_slower(
    opened: Session,
    sides: dict[str, str],
    summary: QueryResult | None,
    limit: float | None,
    measure: str | None,
) -> None:
    """Prints whether side b is slower by more than the limit, if there is one, and exits with 1."""
    if limit is None:
        return
    rows = list(summary or _result(opened, "summary", sides, {}))
    judgement = slower.judge(rows, limit, measure)
    click.echo("\n".join(judgement.sentences()), err=True)
    if judgement.is_slower:
        click.get_current_context().exit(ExitCode.FAILURE)


def _write(
    opened: Session, by: str | None, sides: dict[str, str], limits: dict[str, Any], output: Output
) -> QueryResult | None:
    """Writes the report or one table; returns the summary if it is written."""
    table = by or "summary"
    if output.format == REPORT:
        summary: QueryResult | None = _write_report(opened, sides, limits, output.target)
    else:
        found = _result(opened, table, sides, limits)
        is_listed = output.all_ranks or bool(opened.selection.ranks)
        if is_listed or not is_for_terminal(output.format, output.target):
            _write_rows(found, found.meta, output)
        else:
            _write_rows(_distribution(opened, table, found, output.quiet), found.meta, output)
        summary = found if table == "summary" else None
    announce(opened.seen, quiet=output.quiet)
    return summary


def _distribution(opened: Session, by: str, found: QueryResult, quiet: bool) -> QueryResult:
    """Returns how rows are distributed over the ranks, if these are many; else the rows."""
    many = _of_many_ranks(opened, by, found)
    if many is None:
        return found
    if not quiet:
        click.echo(f"{many.title}; --all-ranks or --rank 3,8-11 lists ranks:", err=True)
    return many.rows


def _of_many_ranks(opened: Session, by: str, found: QueryResult) -> RankDistribution | None:
    from warehouse.query.rank_distribution import Layout, of_rows

    header = opened.queries.find(BY[by]).header
    layout = Layout.of(header.grain, found.columns) if header is not None else None
    is_many = found.n_rows > LISTED_RANKS
    return of_rows(found, layout) if is_many and layout is not None else None


def _write_rows(rows: QueryResult, about: Mapping[str, str], output: Output) -> None:
    from warehouse.cli.emit import emit, say_count

    n_shown = emit(
        rows, output.format, output.target, max_rows=-1, about=about,
        is_csv_safe=output.is_csv_safe, quiet=output.quiet, is_raw=output.is_raw,
    )  # fmt: skip
    say_count(n_shown, rows.n_rows, output.target, quiet=output.quiet)


def _write_report(
    opened: Session, sides: dict[str, str], limits: dict[str, Any], target: Path | None
) -> QueryResult:
    """Writes the report and returns its summary."""
    from warehouse.cli.compare_report import report
    from warehouse.cli.emit import emit_text

    few = {**limits, "top": limits["top"] or 10}
    results = {by: _result(opened, by, sides, few) for by in BY}
    tables = {by: list(each) for by, each in results.items()}
    if (many := _of_many_ranks(opened, "rank", results["rank"])) is not None:
        tables["many_ranks"] = list(many.rows)
    is_read = target is None and sys.stdout.isatty()
    text = report(sides, tables, shutil.get_terminal_size().columns if is_read else None)
    emit_text(text, target, list(results.values()))
    return results["summary"]
