"""`tw runs`: lists runs or traces with the library queries `runs` and `traces`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import many_ranks, options, table_options
from warehouse.cli.emit import emit, is_for_terminal
from warehouse.query import encoding

if TYPE_CHECKING:
    from warehouse.query.encoding import Rows
    from warehouse.query.execute import Result


@click.command()
@click.option("--traces", is_flag=True, help="List traces instead of runs.")
@click.option("--format", "format", type=click.Choice(encoding.FORMATS), help="Output format.")
@many_ranks.all_ranks_option
@table_options.raw
@options.database
def runs(
    db: Path | None,
    wait_s: float,
    traces: bool,
    format: str | None,
    all_ranks: bool,
    is_raw: bool,
) -> None:
    """List the runs in the warehouse, or their traces.

    As `tw query runs --run all` and `tw query traces --run all`, which can also write rows to a
    file, and leave out recordings of captured graphs.

    \b
    Example:
      tw runs
      tw runs --traces --format json
    """
    from warehouse import config
    from warehouse.cli.scope_options import announce
    from warehouse.query import execute, scope
    from warehouse.query.selection import Selection
    from warehouse.store import database

    settings = config.load()
    chosen = encoding.format_of(None, format, settings.format)
    options.refuse_binary_on_terminal(chosen, None)
    with database.Reader(config.database_path(db), wait_s=wait_s) as reader:
        seen = scope.resolve(reader.connection, Selection(runs=("all",)))
        announce(replace(seen, notice=None), quiet=False)  # the list leaves nothing out
        is_listed = all_ranks or not traces or not is_for_terminal(chosen, None)
        result = execute.run(reader.connection, "traces" if traces else "runs")
        with result:
            rows = result if is_listed else _few_or_distribution(result)
            emit(rows, chosen, None, max_rows=-1, about={}, is_raw=is_raw)
    if not result.n_rows:
        click.echo("The warehouse is empty; import traces with `tw import PATH`.", err=True)


def _few_or_distribution(traces: Result) -> Rows:
    """Returns the traces; of many ranks their distribution."""
    from warehouse.query.rank_distribution import Layout

    layout = Layout.of(("trace_id",), traces.columns)
    assert layout is not None
    return many_ranks.distribution(traces, layout, {}, quiet=False)
