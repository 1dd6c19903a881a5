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
from warehouse.cli.trend_options import TrendOptions, trend_options
from warehouse.errors import ExitCode
from warehouse.query import encoding
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.trend.trend import Trend


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
@trend_options()
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
    help="Output format.  [default: by the suffix of -o, where .xlsx writes a workbook and .html a "
    "page; else table]",
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
    rules: TrendOptions,
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
      tw trend step_summary device_span_ns -o steps.html
    """
    from warehouse.query import alarm, session
    from warehouse.trend.trend import Figure, trend

    figure = Figure(query, column, options.pairs(parameters), rules.only, rules.aggregate)
    chosen_format = "" if options.is_document(target, format) else _format(target, format)
    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, replace(selection, runs=selection.runs or ("all",))) as opened:
        announce(opened.seen, quiet=quiet)
        found = trend(opened, figure, by=rules.by, where=rules.where, level=rules.level)
        if not chosen_format and target is not None:
            _write_document(opened, found, target)
    failing = alarm.matching(found.rows, condition, ("run",)) if condition is not None else []
    n_shown = found.rows.n_rows
    if chosen_format:
        n_shown = emit(
            found.rows, chosen_format, target, max_rows=-1, about=found.rows.meta,
            is_csv_safe=is_csv_safe, is_raw=is_raw, quiet=quiet,
        )  # fmt: skip
    say_count(n_shown, found.rows.n_rows, target, quiet=quiet)
    if not quiet:
        echo_sentence(found.summary)
    if failing:
        click.echo(f"FAIL: {condition}: {'; '.join(failing)}", err=True)
        sys.exit(ExitCode.FAILURE)


def _format(target: Path | None, format: str | None) -> str:
    chosen = encoding.format_of(target, format, config.load().format)
    options.refuse_binary_on_terminal(chosen, target)
    return chosen


def _write_document(opened: Session, found: Trend, target: Path) -> None:
    from warehouse.export import trended

    trended.write(opened, found, target)
