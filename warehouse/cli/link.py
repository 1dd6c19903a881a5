"""`tw link`: rebuilds links."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import arrow
from warehouse.cli import options
from warehouse.link.link_sets import deprecated_words, link_sets
from warehouse.query import encoding
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warehouse.link.rebuild import LinkCount
    from warehouse.query.result import QueryResult


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--all", "is_all", is_flag=True, help="Rebuild the links of all runs.")
@click.option(
    "--graphs",
    "is_graphs",
    is_flag=True,
    help="Link only execution traces with the timelines of their ranks.",
)
@click.option(
    "--set",
    "link_set",
    type=click.Choice(list(link_sets())),
    help="With --graphs: rules to link by.  [default: default]",
)
@click.option(
    "--clock",
    metavar="METHOD",
    help="Clock offsets by another method: recorded, last_sync or messages (`tw queries show "
    "clock_by_METHOD`), until the run is linked again.",
)
@click.option(
    "--format", "format", type=click.Choice(encoding.FORMATS), help="Output format of the counts."
)
@click.option(
    "--memory-limit", default="800MB", show_default=True, help="Memory limit for linking."
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@options.database
def link(
    runs: tuple[str, ...],
    is_all: bool,
    is_graphs: bool,
    link_set: str | None,
    clock: str | None,
    db: Path | None,
    wait_s: float,
    format: str | None,
    memory_limit: str,
    quiet: bool,
) -> None:
    """Rebuild the links of one or more runs, and count them.

    RUN is NAME, ID, latest, all, tag:NAME or since:7d; by default the only run, else the last
    imported. Imports create links themselves: rebuild them for runs imported by an older tw, after
    adding linkers, or after an interrupted import; `tw check` reports which. Each run is rebuilt in
    one transaction. --graphs rebuilds one link set of execution traces and keeps the others.

    \b
    Example:
      tw link
      tw link baseline --format json
      tw link --all
      tw link --graphs --set default
      tw link trial --clock last_sync
    """
    from warehouse import config
    from warehouse.cli.scope_options import announce
    from warehouse.errors import UsageError
    from warehouse.ingest.decode import Settings
    from warehouse.link.rebuild import relink
    from warehouse.query import scope
    from warehouse.store import database

    if runs[:1] and runs[0] in deprecated_words():
        click.echo(f"`tw link {runs[0]}` is deprecated: use `tw link --graphs`.", err=True)
        is_graphs, runs = True, runs[1:]
    _check(is_graphs, link_set, clock)
    if runs and is_all:
        raise UsageError("--all cannot be combined with the name of a run")
    settings, path = config.load(), config.database_path(db)
    chosen = encoding.format_of(None, format, settings.format)
    options.refuse_binary_on_terminal(chosen, None)
    with database.Reader(path, wait_s=wait_s) as reader:
        selection = Selection(runs=("all",) if is_all else runs)
        selected = scope.resolve(reader.connection, selection)
    announce(selected, quiet=quiet)
    done = relink(
        path,
        selected.run_ids,
        graph_set=(link_set or "default") if is_graphs else None,
        clock=clock,
        settings=Settings(memory_limit=memory_limit),
        wait_s=wait_s,
    )
    counts = [each for run in done for each in run]
    if not quiet:
        encoding.write(_result(counts), chosen, sys.stdout.buffer, max_rows=-1)
        sys.stdout.buffer.flush()


def _check(is_graphs: bool, link_set: str | None, clock: str | None) -> None:
    from warehouse.errors import UsageError

    if link_set and not is_graphs:
        raise UsageError("--set requires --graphs", hint="Other links have only one set.")
    if clock and is_graphs:
        raise UsageError("--clock cannot be combined with --graphs")


def _result(counts: Iterable[LinkCount]) -> QueryResult:
    from warehouse.library.header import Column
    from warehouse.query.result import QueryResult

    columns = (
        Column("run", "VARCHAR", "text", "Name of the run"),
        Column("kind", "VARCHAR", "text", "Kind of link"),
        Column("n_before", "BIGINT", "count", "Links before"),
        Column("n_after", "BIGINT", "count", "Links now"),
    )
    rows = [{column.name: getattr(each, column.name) for column in columns} for each in counts]
    return QueryResult(arrow.table_of(rows, columns), columns, {})
