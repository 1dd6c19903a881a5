"""`tw lake link`: links the ranks of a run that several imports brought into a lake.

The rows of the run are copied into a scratch warehouse, under the ids of the lake, and linked there
as by an import. What depends on several traces becomes a commit of the run; no file of a trace is
written.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.ingest import pairing
from warehouse.lake import layout, tables
from warehouse.lake.layout import Lake, RunCommit
from warehouse.lake.sync import LINK
from warehouse.lake.writing import Writer, counts_of_run
from warehouse.library import macros
from warehouse.link import linkers, run_links
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS = 20_480


@dataclass(frozen=True)
class Linked:
    """A run that was linked."""

    name: str
    n_traces: int
    n_links: int  # between its traces


def link(folder: Path, runs: tuple[str, ...] = ()) -> list[Linked]:
    """Links the traces of runs with each other. Raises DatabaseError, ScopeError, ExportError.

    `runs` are names as those of a selection; by default the only run, else the last imported.
    """
    place = session.Place.of(None, lake=folder)
    with session.opened(place, Selection(runs=runs, with_captures=True)) as opened:
        run_ids = opened.chosen.run_ids
        return [_link(opened, Lake.open(folder), run_id) for run_id in run_ids]


def _link(opened: session.Session, lake: Lake, run_id: int) -> Linked:
    with tempfile.TemporaryDirectory(prefix="tw-lake-") as place:
        scratch = Path(place, "link.duckdb")
        database.create_empty(scratch)
        if opened.chosen.run_ids != (run_id,):
            opened.choose(Selection(runs=(str(run_id),), with_captures=True))
        with database.writer(scratch) as connection:
            macros.keep_stored(connection)
            with database.transaction(connection):
                _copy(opened.connection, connection)
                pairing.pair_run(connection, run_id)
            with database.transaction(connection):
                run_links.link_run(connection, linkers.linkers(), run_id)
        with database.Reader(scratch) as reader:
            return _commit(lake, reader.connection, run_id)


def _copy(source: duckdb.DuckDBPyConnection, target: duckdb.DuckDBPyConnection) -> None:
    """Copies the rows in scope into an empty warehouse."""
    for name in tables.tables():
        rows = source.sql(f'SELECT * FROM "{name}"').to_arrow_reader(_BATCH_ROWS)
        target.register("rows_copied", rows)
        target.execute(f'INSERT INTO "{name}" BY NAME SELECT * FROM rows_copied')
        target.unregister("rows_copied")


def _commit(lake: Lake, connection: duckdb.DuckDBPyConnection, run_id: int) -> Linked:
    every = lake.trace_commits()
    run_ids = {commit.run_id: commit.run_id for commit in every.values()}
    writer = Writer(connection, lake, {number: number for number in every}, run_ids)
    ((name,),) = connection.execute("SELECT name FROM run WHERE id = ?", [run_id]).fetchall()
    found = connection.execute("SELECT id FROM trace WHERE run_id = ? ORDER BY id", [run_id])
    traces = tuple(int(number) for (number,) in found.fetchall())
    counts = counts_of_run(connection, run_id)
    files = writer.run(run_id, counts)
    commit = RunCommit(run_id, LINK, name, "", traces, files)
    with layout.writing(lake.name):
        lake.storage.replace(lake.run_commit_path(run_id, LINK), layout.text_of(commit))
    return Linked(str(name), len(traces), counts.get("link", 0))
