"""Opens a lake for queries, as `database.Reader` opens a warehouse.

The connection is to an empty warehouse in a temporary file, whose schema `lake` has a view for each
table over the Parquet files that commits name. `scope.apply` then makes TEMP views over these, in
place of the empty tables. The connection is read-only and locked: of other files, SQL can read
those of the commits only.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import duckdb

from warehouse.errors import InvalidDatabase, QueryError
from warehouse.lake import layout, tables
from warehouse.lake.layout import File, Lake, RunCommit, TraceCommit
from warehouse.lake.tables import Table
from warehouse.store import database, template, texts

_NO_ACCESS = "enable_external_access"


class LakeReader:
    """A locked read-only connection to a lake, as a context manager.

    Raises DatabaseError for what is no lake, or one of another schema version.
    """

    def __init__(
        self, folder: Path, *, memory_limit: str | None = None, threads: int | None = None
    ) -> None:
        self.lake = Lake.open(folder)
        self.traces = self.lake.trace_commits()
        self.runs = layout.current(self.lake.run_commits(), self.traces)
        self._stack = ExitStack()
        try:
            place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tw-lake-"))
            self.connection = self._opened(Path(place, "opened.duckdb"), memory_limit, threads)
        except duckdb.Error as error:
            self._stack.close()
            self._explain(error)
            raise
        except BaseException:
            self._stack.close()
            raise

    def _opened(
        self, path: Path, memory_limit: str | None, threads: int | None
    ) -> duckdb.DuckDBPyConnection:
        path.write_bytes(template.content())
        files = [file for commit in self._commits for file in commit.files]
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE SCHEMA lake")
            for table in tables.tables().values():
                of_table = [file for file in files if file.table == table.name]
                connection.execute(self._view(table, of_table))
        config = {**database.LOCKED_PROFILE, _NO_ACCESS: True}
        config["temp_directory"] = str(path.with_name("spill"))
        connection = duckdb.connect(str(path), read_only=True, config=config)
        self._stack.callback(connection.close)
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET parquet_metadata_cache = true")
        for name, value in (("memory_limit", memory_limit), ("threads", threads)):
            if value is not None:
                connection.execute(f"SET {name} = '{value}'")
        paths = sorted({os.fspath(self.lake.path(file).absolute()) for file in files})
        connection.execute(f"SET allowed_paths = {_list(paths)}")
        connection.execute(f"SET {_NO_ACCESS} = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def _view(self, table: Table, files: Sequence[File]) -> str:
        own = [file for file in files if "/trace_id=" in file.path]
        shared = [file for file in files if file.is_shared]
        parts = []
        if own:
            parts.append(self._of_traces(table, own))
        if shared:
            parts.append(self._of_shared(table, shared))
        if table.name in tables.REPLACED and own and shared:
            parts[0] += f" WHERE id NOT IN (SELECT id FROM ({parts[1]}))"
        rows = " UNION ALL ".join(parts) or f"SELECT {_nothing(table)} WHERE false"
        if table.name == "query_version":  # each run has those of its linkers
            rows = (
                "SELECT name, version, content_hash, min(first_used_at) AS first_used_at "
                f"FROM ({rows}) GROUP BY ALL"
            )
        return f'CREATE VIEW lake."{table.name}" AS {rows}'

    def _of_traces(self, table: Table, files: Sequence[File]) -> str:
        """The rows of files of one trace each, whose column trace_id is part of their path."""
        return (
            f"SELECT {_columns(table)} FROM read_parquet({self._paths(files)}, "
            "hive_partitioning = true, hive_types = {'trace_id': BIGINT})"
        )

    def _of_shared(self, table: Table, files: Sequence[File]) -> str:
        """The rows of files of runs and compacted traces, of traces that are committed."""
        rows = (
            f"SELECT {_columns(table)} FROM read_parquet({self._paths(files)}, "
            "hive_partitioning = false)"
        )
        condition = _committed(table, self.traces)
        return f"{rows} WHERE {condition}" if condition else rows

    def _paths(self, files: Iterable[File]) -> str:
        unique = dict.fromkeys(os.fspath(self.lake.path(file).absolute()) for file in files)
        return _list(unique)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> LakeReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        try:
            self.close()
        finally:
            if value is not None:
                self._explain(value)
                texts.raise_if_refused(value)

    def _explain(self, error: BaseException) -> None:
        """Raises InvalidDatabase if an error is due to a file that is missing or damaged."""
        if not isinstance(error, duckdb.Error | QueryError):
            return
        wrong = self.lake.missing(self._commits)
        if wrong is None and (named := self._named_in(str(error))) is not None:
            wrong = f"{named} cannot be read: it is not a whole Parquet file"
        if wrong is not None:
            raise InvalidDatabase(
                wrong,
                hint=f"`tw lake check {self.lake.folder}` lists all such files. Remove the commit "
                "of its trace or run in _commit, and sync again.",
            ) from error

    @property
    def _commits(self) -> list[TraceCommit | RunCommit]:
        return [*self.traces.values(), *self.runs]

    def _named_in(self, text: str) -> Path | None:
        paths = (self.lake.path(file) for commit in self._commits for file in commit.files)
        return next((path for path in paths if os.fspath(path.absolute()) in text), None)


def _columns(table: Table) -> str:
    """The columns with the types of the schema, whatever the files or paths have."""
    return ", ".join(
        f'CAST("{column.name}" AS {column.type}) AS "{column.name}"' for column in table.columns
    )


def _nothing(table: Table) -> str:
    """Columns of a table without files."""
    return ", ".join(f'CAST(NULL AS {column.type}) AS "{column.name}"' for column in table.columns)


def _committed(table: Table, traces: Iterable[int]) -> str | None:
    """The condition of rows whose traces are committed, in a file that has others, too."""
    ids = ", ".join(map(str, traces))
    if table.name == "run":
        return None  # only runs with traces have a commit in use
    if table.name == "link":
        ends = f"(from_id >> 32) IN ({ids}) AND (to_id >> 32) IN ({ids})"
        return f"coalesce(trace_id IN ({ids}), {ends})"
    if table.relates is not None:
        named = [column.name for column in table.columns if column.name.endswith("_trace_id")]
        return " AND ".join(f"{name} IN ({ids})" for name in named)
    column = table.trace_column
    return None if column is None else f"{column} IN ({ids})"


def _list(paths: Iterable[str]) -> str:
    quoted = ("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{', '.join(quoted)}]"
