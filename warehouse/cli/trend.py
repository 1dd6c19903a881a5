"""`tw trend`: a column of a query over runs, and the runs at which it changed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options, table_options
from warehouse.cli.completion import query_names, query_parameters
from warehouse.cli.emit import echo_sentence, emit, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.errors import ExitCode
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.trend.trend import Figure, Trend


@click.command()
@click.argument("query", shell_complete=query_names)
@click.argument("column")
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=query_parameters,
    help="Parameter of the query; repeatable.",
)
@click.option(
    "--only",
    metavar="SQL",
    help="Only rows for which this SQL condition is true: \"name = 'aten::mm'\".",
)
@click.option(
    "--aggregate",
    type=click.Choice(("mean", "median", "sum", "min", "max")),
    default="mean",
    show_default=True,
    help="How rows of a run become its value.",
)
@click.option(
    "--by", metavar="KEY", help="Order runs by the value of this tag.  [default: by time]"
)
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only runs with this tag (`tw tag KEY=VALUE`); repeatable.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.01,
    show_default=True,
    metavar="P",
    help="Largest chance of a change point in runs that differ only by chance.",
)
@click.option(
    "--fail-if",
    "condition",
    metavar="SQL",
    help='Exit with 1 if this SQL condition is true for any run: "change_ratio > 0.05".',
)
@click.option(
    "--format",
    "format",
    type=click.Choice(encoding.FORMATS),
    help="Output format.  [default: by the suffix of -o, else table]",
)
@options.output
@options.csv_safe
@table_options.raw
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def trend(
    query: str,
    column: str,
    parameters: tuple[str, ...],
    only: str | None,
    aggregate: str,
    by: str | None,
    where: tuple[str, ...],
    level: float,
    condition: str | None,
    format: str | None,
    target: Path | None,
    is_csv_safe: bool,
    is_raw: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Follow a column of a query over runs, and find the runs at which it changed.

    Each run, by default of all that were measured, is a row with the value of its rows of the
    query, in order of time. A run with which the mean changes begins a new segment (is_change);
    change is the difference from the segment before, p the chance of one as clear among runs that
    differ by chance, as far as they and their steps vary (docs/trend.md).

    \b
    Example:
      tw trend step_summary device_span_ns
      tw trend kernel_summary total_ns --only "name LIKE '%gemm%'" --aggregate sum --by commit
      tw trend utilization utilization --fail-if "is_change AND n_later = 0 AND change < 0"
    """
    from warehouse.query import alarm, session
    from warehouse.trend.trend import Figure, trend

    figure = Figure(query, column, options.pairs(parameters), only, aggregate)
    tags = options.pairs(where, "--where KEY=VALUE")
    chosen_format = encoding.format_of(target, format, config.load().format)
    options.refuse_binary_on_terminal(chosen_format, target)
    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, replace(selection, runs=selection.runs or ("all",))) as opened:
        announce(opened.seen, quiet=quiet)
        found = trend(opened, figure, by=by, where=tags, level=level)
    failing = alarm.matching(found.rows, condition, ("run",)) if condition is not None else []
    n_shown = emit(
        found.rows, chosen_format, target, max_rows=-1, about=found.rows.meta,
        is_csv_safe=is_csv_safe, is_raw=is_raw, quiet=quiet,
    )  # fmt: skip
    say_count(n_shown, found.rows.n_rows, target, quiet=quiet)
    if not quiet:
        echo_sentence(_summary(found, figure))
    if failing:
        click.echo(f"FAIL: {condition}: {'; '.join(failing)}", err=True)
        sys.exit(ExitCode.FAILURE)


def _summary(found: Trend, figure: Figure) -> str:
    what = f"{figure.aggregate} of {figure.column} in {counted(found.n_values, 'run')}"
    if found.is_judged:
        return f"{counted(found.n_changes, 'change')} of the {what}."
    return f"The {what}: too few to find changes; `tw compare` compares two runs by their steps."
