"""`tw lake upgrade`: brings a lake to the schema version of this program.

The rows of each trace and run are copied into a scratch warehouse of the old version, whose
migrations then run. What they make is written to new files, with commits in a folder of their own;
lake.json names that folder at the end. Until then the lake is the old one, and an upgrade that was
killed continues with the traces that it has not written. No other program may write meanwhile.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from warehouse import __version__
from warehouse.lake import layout, views
from warehouse.lake.layout import COMMITS, File, Lake, RunCommit, TraceCommit
from warehouse.lake.writing import Writer, counts_of_run, counts_of_traces
from warehouse.store import migrate


@dataclass(frozen=True)
class Upgraded:
    """Schema versions before and after, and what was written."""

    before: int
    after: int
    n_traces: int = 0


def upgrade(folder: Path | str) -> Upgraded:
    """Upgrades a lake. Raises DatabaseError, also for one of a newer version; ExportError."""
    old = Lake.open_of_any_version(folder)
    latest = migrate.latest_version()
    if old.schema_version >= latest:
        Lake.open(folder)  # refuses a newer one
        return Upgraded(latest, latest)
    new = Lake(old.storage, latest, f"{COMMITS}-{latest}")
    n_traces = 0
    with layout.writing(old.name), tempfile.TemporaryDirectory(prefix="tw-lake-") as place:
        running = _Upgrade(old, new, Path(place))
        done = new.written_commits(new.commit_contents())
        for commit in running.traces.values():
            written = done.get(commit.trace_id)
            if written is None or (written.key, written.state) != (commit.key, commit.state):
                running.trace(commit)
                n_traces += 1
        for run in old.run_commits():
            running.run(run)
        old.storage.replace("lake.json", layout.description(latest, new.commits))
    return Upgraded(old.schema_version, latest, n_traces)


class _Upgrade:
    """Writes the traces and runs of a lake to a newer one in the same place."""

    def __init__(self, old: Lake, new: Lake, place: Path) -> None:
        self.old, self.new, self.place = old, new, place
        self.traces = old.trace_commits()
        self.runs = {
            run.run_id: run for run in layout.current(old.run_commits(), self.traces)
        }  # fmt: skip
        self.empty = _empty(place / "empty.duckdb", old.schema_version)

    def trace(self, commit: TraceCommit) -> None:
        run = self.runs.get(commit.run_id)
        of_run = [] if run is None else [file for file in run.files if file.table == "run"]
        with self._migrated([commit], of_run) as connection:
            writer = self._writer(connection, [commit.trace_id], commit.run_id)
            counts = counts_of_traces(connection)[commit.trace_id]
            files = writer.trace(commit.trace_id, counts)
        made = replace(
            commit, files=files, schema_version=self.new.schema_version, tw_version=__version__
        )
        path = self.new.trace_commit_path(commit.trace_id)
        self.new.storage.replace(path, layout.text_of(made))

    def run(self, run: RunCommit) -> None:
        """Writes a run, whose rows are of traces that its commit may not have."""
        traces = [each for each in self.traces.values() if each.run_id == run.run_id]
        tables = {file.table for file in run.files}
        # Which rows are of a run is seen by its traces and by what linked them.
        needed = {"import_stat"} if "trace" in tables else {"import_stat", "trace"}
        only = [_of_tables(each, needed) for each in traces]
        with self._migrated(only, run.files) as connection:
            writer = self._writer(connection, [each.trace_id for each in traces], run.run_id)
            counts = counts_of_run(connection, run.run_id)
            files = writer.run(run.run_id, {name: counts.get(name, 0) for name in tables})
        made = replace(
            run, files=files, schema_version=self.new.schema_version, tw_version=__version__
        )
        path = self.new.run_commit_path(run.run_id, run.origin)
        self.new.storage.replace(path, layout.text_of(made))

    def _writer(
        self, connection: duckdb.DuckDBPyConnection, trace_ids: Iterable[int], run_id: int
    ) -> Writer:
        every = {number: number for number in (*self.traces, *trace_ids)}
        runs = {number: number for number in (*self.runs, run_id)}
        return Writer(connection, self.new, every, runs)

    @contextmanager
    def _migrated(
        self, traces: Sequence[TraceCommit], of_run: Sequence[File]
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A scratch warehouse of the new version with the rows of commits."""
        scratch = self.place / "scratch.duckdb"
        scratch.write_bytes(self.empty)
        try:
            with duckdb.connect(str(scratch)) as connection:
                connection.execute("SET enable_progress_bar = false")
                self.old.storage.prepare(connection)
                for commit in traces:
                    for file in commit.files:
                        self._insert(connection, file, commit.trace_id)
                for file in of_run:
                    self._insert(connection, file, None)
                migrate.upgrade(connection)
                yield connection
        finally:
            for path in self.place.glob("scratch.duckdb*"):
                path.unlink()

    def _insert(
        self, connection: duckdb.DuckDBPyConnection, file: File, trace_id: int | None
    ) -> None:
        paths = views.listed([self.old.path(file)])
        if file.is_shared:
            column = "id" if file.table == "trace" else "trace_id"
            of_trace = "" if trace_id is None else f" WHERE {column} = {trace_id}"
            rows = f"SELECT * FROM read_parquet({paths}, hive_partitioning = false){of_trace}"
        elif file.table == "trace":  # has no column trace_id
            rows = f"SELECT * FROM read_parquet({paths}, hive_partitioning = false)"
        else:
            rows = (
                f"SELECT * FROM read_parquet({paths}, hive_partitioning = true, "
                "hive_types = {'trace_id': BIGINT})"
            )
        connection.execute(f'INSERT INTO "{file.table}" BY NAME {rows}')


def _of_tables(commit: TraceCommit, names: set[str]) -> TraceCommit:
    return replace(commit, files=tuple(file for file in commit.files if file.table in names))


def _empty(path: Path, version: int) -> bytes:
    """An empty warehouse of an older version, without views."""
    with duckdb.connect(str(path)) as connection:
        migrate.create(connection, version)
    return path.read_bytes()
