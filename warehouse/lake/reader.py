"""Opens a lake for queries, as `database.Reader` opens a warehouse.

The connection is to an empty warehouse in a temporary file, whose schema `lake` has a view for each
table over the Parquet files that commits name. `scope.apply` then makes TEMP views over these, in
place of the empty tables. The connection is read-only and locked: of other files, SQL can read
those of the commits only.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import duckdb

from warehouse.errors import InvalidDatabase, QueryError
from warehouse.lake import views
from warehouse.lake.committed import Committed
from warehouse.lake.layout import Lake, RunCommit, TraceCommit
from warehouse.lake.views import Views
from warehouse.store import database, template, texts

_NO_ACCESS = "enable_external_access"

#: Files with views, by what they were made from: opening a lake that did not change again takes
#: half of the time.
_made: dict[bytes, bytes] = {}
_MOST = 2  # the lakes of a comparison


def _keep(made: bytes, content: bytes) -> None:
    while len(_made) >= _MOST:
        _made.pop(next(iter(_made)), None)
    _made[made] = content


class LakeReader:
    """A locked read-only connection to a lake, or a part of it, as a context manager.

    Raises DatabaseError for what is no lake, or one of another schema version.
    """

    def __init__(
        self,
        folder: Path,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        part: Committed | None = None,
    ) -> None:
        self.lake = Lake.open(folder)
        part = part or Committed.read(self.lake)
        self.traces, self.runs = part.traces, part.runs
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
        empty, rows = template.content(), Views(self.lake, self.traces, self.runs).all()
        made = hashlib.sha256(repr([hash(empty), rows]).encode()).digest()
        if (content := _made.get(made)) is not None:
            path.write_bytes(content)
        else:
            path.write_bytes(empty)
            self._create_views(path, rows)
            _keep(made, path.read_bytes())
        config = {**database.LOCKED_PROFILE, _NO_ACCESS: True}
        config["temp_directory"] = str(path.with_name("spill"))
        connection = duckdb.connect(str(path), read_only=True, config=config)
        self._stack.callback(connection.close)
        self.lake.storage.prepare(connection)
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET parquet_metadata_cache = true")
        for name, value in (("memory_limit", memory_limit), ("threads", threads)):
            if value is not None:
                connection.execute(f"SET {name} = '{value}'")
        paths = sorted({self.lake.path(file) for commit in self._commits for file in commit.files})
        connection.execute(f"SET allowed_paths = {views.listed(paths)}")
        connection.execute(f"SET {_NO_ACCESS} = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def _create_views(self, path: Path, rows: Mapping[str, str]) -> None:
        with duckdb.connect(str(path)) as connection:
            self.lake.storage.prepare(connection)
            # In one transaction: each of its own would wait for the disk.
            connection.execute("BEGIN; CREATE SCHEMA lake")
            for name, select in rows.items():
                connection.execute(f'CREATE VIEW lake."{name}" AS {select}')
            connection.execute("COMMIT")

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
                hint=f"`tw lake check {self.lake.name}` lists all such files. Remove the commit "
                "of its trace or run in _commit, and sync again.",
            ) from error

    @property
    def _commits(self) -> list[TraceCommit | RunCommit]:
        return [*self.traces.values(), *self.runs]

    def _named_in(self, text: str) -> str | None:
        paths = (self.lake.path(file) for commit in self._commits for file in commit.files)
        return next((path for path in paths if path in text), None)
