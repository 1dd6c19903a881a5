"""`tw lake compact`: writes the traces of a run to one file a table.

The rows of a file follow each other by trace, so that readers of one trace read the row groups of
that. A single commit makes the files visible; the files before it stay for those who read them,
until `tw lake vacuum`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse.lake import layout, tables, views, writing
from warehouse.lake.layout import Compacted, File, Lake, Part, TraceCommit
from warehouse.lake.reader import LakeReader
from warehouse.lake.tables import Table
from warehouse.lake.views import Views
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database


@dataclass(frozen=True)
class Done:
    """A run, and its Parquet files with rows of traces before and after compaction."""

    name: str
    n_traces: int
    n_before: int
    n_after: int
    n_bytes: int  # that were written


def compact(folder: Path, runs: tuple[str, ...] = ()) -> list[Done]:
    """Compacts the traces of runs. Raises DatabaseError, ScopeError, ExportError.

    `runs` are names as those of a selection; by default the only run, else the last imported.
    """
    with LakeReader(folder) as reader:
        chosen = scope.resolve(reader.connection, Selection(runs=runs, with_captures=True))
    lake = Lake.open(folder)
    named = zip(chosen.run_ids, chosen.run_names, strict=True)
    return [_compact(lake, run_id, name) for run_id, name in named]


def _compact(lake: Lake, run_id: int, name: str) -> Done:
    contents = lake.commit_contents()
    written = lake.written_commits(contents)
    found = {
        number: commit for number, commit in lake.trace_commits_of(contents).items()
        if commit.run_id == run_id
    }  # fmt: skip
    paths = {file.path for commit in found.values() for file in commit.files}
    before = [each for each in lake.compacted(contents) if each.run_id == run_id]
    if before and _is_compact(before[-1], found, paths):
        return Done(name, len(found), len(paths), len(paths), 0)
    files = _write(lake, run_id, found)
    parts = {
        number: Part(written[number].identity, {file.table: file.rows for file in commit.files})
        for number, commit in found.items()
    }
    _commit(lake, Compacted(run_id, before[-1].number + 1 if before else 1, parts, files))
    n_bytes = sum(file.bytes for file in files)
    return Done(name, len(found), len(paths), len(files), n_bytes)


def _is_compact(last: Compacted, found: Mapping[int, TraceCommit], paths: set[str]) -> bool:
    """Whether the last compaction has these traces, and rows of no other."""
    return last.traces.keys() == found.keys() and paths == {file.path for file in last.files}


def _commit(lake: Lake, compacted: Compacted) -> None:
    """Makes the files visible; another compaction may take the number meanwhile."""
    with layout.writing(lake.name):
        while True:
            path = lake.compacted_path(compacted.run_id, compacted.number)
            if lake.storage.create(path, layout.text_of(compacted)):
                return
            compacted = layout.numbered(compacted, compacted.number + 1)


def _write(lake: Lake, run_id: int, found: Mapping[int, TraceCommit]) -> tuple[File, ...]:
    attempt, files = layout.attempt(), []
    with _connection(lake) as connection:
        sources = Views(lake, found, ())
        for table in tables.tables().values():
            if segments := list(_segments(sources, table)):
                path = f"{table.name}/run_id={run_id}/part-{attempt}.parquet"
                files.append(writing.write(connection, lake, table, path, segments))
    return tuple(files)


def _segments(sources: Views, table: Table) -> Iterator[str]:
    """Queries of a table's rows, in the order of traces: one for each row of files of a kind."""
    held = [
        (number, file)
        for number, commit in sources.traces.items()
        for file in commit.files
        if file.table == table.name
    ]
    for shared, group in itertools.groupby(held, key=lambda each: _shared_path(each[1])):
        members = list(group)
        if shared is None:
            yield sources.of_files(table, [file for _, file in members])
        else:
            rows = sources.of_shared(table, [members[0][1]])
            among = views.among(str(table.trace_column), [number for number, _ in members])
            yield f"{rows} WHERE {among}"


def _shared_path(file: File) -> str | None:
    return file.path if file.is_shared else None


def _connection(lake: Lake) -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = {**database.LOCKED_PROFILE, "enable_external_access": True}
    connection = duckdb.connect(config=config)
    lake.storage.prepare(connection)
    connection.execute("SET enable_progress_bar = false")
    return connection
