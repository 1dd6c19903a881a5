"""`tw link`: makes the links of runs anew, with the linkers of this program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options
from warehouse.query import encoding
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warehouse.link.rebuild import Relinked
    from warehouse.query.result import Answer


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--all", "is_all", is_flag=True, help="Every run of the warehouse.")
@click.option(
    "--set",
    "link_set",
    type=click.Choice(["default", "chakra-1.0"]),
    help="Of `tw link chakra`: rules to link by, ours or those of chakra_trace_link.  "
    "[default: default]",
)
@click.option(
    "--format", "format", type=click.Choice(encoding.FORMATS), help="How to print the counts."
)
@click.option("--memory-limit", default="800MB", show_default=True, help="To link in.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@options.database
def link(
    runs: tuple[str, ...],
    is_all: bool,
    link_set: str | None,
    db: Path | None,
    wait_s: float,
    format: str | None,
    memory_limit: str,
    quiet: bool,
) -> None:
    """Make the links of runs anew, and count them.

    RUN is NAME, ID, latest, all, tag:NAME or since:7d; by default the only run, else the last
    imported. Imports link by themselves: this is for runs that an older tw imported, for new
    linkers, and after an import that was interrupted; `tw check` says which. Each run is done
    wholly or not at all. With chakra as the first word only execution traces are linked with the
    timelines of their ranks, by the set named; the other set stays. (A run called chakra is named
    by its ID.)

    \b
    Example:
      tw link
      tw link baseline --format json
      tw link --all
      tw link chakra --set chakra-1.0
    """
    from warehouse import config
    from warehouse.cli.scope_options import announce
    from warehouse.errors import UsageError
    from warehouse.ingest.decode import Settings
    from warehouse.link.rebuild import relink
    from warehouse.query import scope
    from warehouse.store import database

    is_graphs, runs = runs[:1] == ("chakra",), runs[1:] if runs[:1] == ("chakra",) else runs
    if link_set and not is_graphs:
        raise UsageError(
            "--set is an option of `tw link chakra`", hint="Other links have but one set."
        )
    if runs and is_all:
        raise UsageError("--all and the name of a run exclude each other")
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
        settings=Settings(memory_limit=memory_limit),
        wait_s=wait_s,
    )
    counts = [each for run in done for each in run]
    if not quiet:
        encoding.write(_answer(counts), chosen, sys.stdout.buffer, max_rows=-1)
        sys.stdout.buffer.flush()


def _answer(counts: Iterable[Relinked]) -> Answer:
    import pyarrow as pa

    from warehouse.library.header import Column
    from warehouse.query.result import Answer

    columns = (
        Column("run", "VARCHAR", "text", "Name of the run"),
        Column("kind", "VARCHAR", "text", "Kind of link"),
        Column("n_before", "BIGINT", "count", "Links before"),
        Column("n_after", "BIGINT", "count", "Links now"),
    )
    kinds = {"VARCHAR": pa.string(), "BIGINT": pa.int64()}
    schema = pa.schema([(column.name, kinds[column.type]) for column in columns])
    rows = [{name: getattr(each, name) for name in schema.names} for each in counts]
    return Answer(pa.Table.from_pylist(rows, schema), columns, {})
