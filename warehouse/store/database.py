"""Opens warehouse files; no other module does.

- `Reader(path)`: locked read-only, for everything that runs a user's SQL;
- `attach_for_writing(connection, path)`: the warehouse as `warehouse` beside a scratch database;
  `writer(path)`: the same without one;
- `upgrade_file(path)`: migrations.

DuckDB allows one writing process or several reading ones. A file is therefore locked only while a
statement runs, and waiting for another process is bounded and names it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import duckdb

from warehouse.errors import (
    DatabaseError,
    InvalidDatabase,
    LockedDatabase,
    MissingDatabase,
    NewerDatabase,
)
from warehouse.store import block_copies, damage, migrate, template, texts, writer_lock
from warehouse.store.attachment import Attachment

DEFAULT_WAIT_S = 10.0
Prepare = Callable[[duckdb.DuckDBPyConnection], object]
_PID = re.compile(r"\(PID (\d+)\)")
#: Errors for files of no known kind, of JSON or Parquet, and of SQLite. (Closing the file after a
#: look into it would release the locks of this process on it.)
_OF_OTHER_FORMATS = (
    "not a valid DuckDB database",
    "Cannot launch in-memory database",
    "Loading external extensions is disabled",
    "sqlite_scanner",
)

#: DuckDB 2.0.0 derives wrong statistics for a sum over a LEFT JOIN whose right side is filtered to
#: nothing, then drops rows (HAVING sum(x) > ...) and truncates numbers when sorting. Reproduced in
#: tests/store/test_store.py.
NO_WRONG_STATISTICS: Final = {"disabled_optimizers": "statistics_propagation"}

#: Below this number of estimated rows DuckDB replaces an ASOF join by a comparison of all pairs.
#: The estimate for the result of several joins may be a thousandth of its rows, and sorting a few
#: rows costs nothing.
ASOF_BY_SORTING: Final = {"asof_loop_join_threshold": 0}

#: Under these settings DuckDB downloads nothing, as it would to open a file of SQLite.
_OFFLINE: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

#: Under these settings SQL can access nothing but the open database.
LOCKED_PROFILE: dict[str, Any] = {
    **_OFFLINE,
    "enable_external_access": False,
    "allow_community_extensions": False,
    "allow_unsigned_extensions": False,
    "python_enable_replacements": False,
    **NO_WRONG_STATISTICS,
    **ASOF_BY_SORTING,
}


class Reader:
    """A locked read-only connection, as a context manager.

    `connection` may run any SQL: it cannot write, read other files, load extensions or change
    settings. Further readers of a file in one process have the limits of the first. Raises
    MissingDatabase, LockedDatabase, NewerDatabase or InvalidDatabase.
    """

    def __init__(
        self,
        path: Path,
        *,
        wait_s: float = DEFAULT_WAIT_S,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        _must_exist(path)
        self._path = path
        config = dict(LOCKED_PROFILE)
        if not os.access(path.parent, os.W_OK):  # else DuckDB uses FILE.tmp
            config["temp_directory"] = os.path.join(tempfile.gettempdir(), f"{path.name}.tmp")
        limits = {"memory_limit": memory_limit, "threads": threads}
        writer_lock.wait_for_writer(path, wait_s)
        self.connection = _patiently(path, wait_s, lambda: _locked(path, config, limits))
        self._folder: Path | None = writer_lock.add_reader(path)
        try:
            if any(m.version is not None for m in migrate.check_history(self.connection)):
                raise _too_old(path)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def close(self) -> None:
        self.connection.close()
        if self._folder is not None:
            writer_lock.remove_reader(self._folder)
            self._folder = None

    def __enter__(self) -> Reader:
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
                damage.raise_if_found(self._path, value)
                texts.raise_if_refused(value)


def _locked(
    path: Path, config: dict[str, Any], limits: Mapping[str, str | int | None] | None = None
) -> duckdb.DuckDBPyConnection:
    before = _identity(path)
    connection = duckdb.connect(str(path), read_only=True, config=config)
    if _identity(path) != before:
        connection.close()
        raise _FileReplaced
    (is_locked,) = one(connection, "SELECT current_setting('lock_configuration')")
    if not is_locked:  # a second connection of this process shares the settings of the first
        # Under `python -c` DuckDB takes the program for a shell and draws a progress bar.
        connection.execute("SET enable_progress_bar = false")
        for name, value in (limits or {}).items():
            if value is not None:
                connection.execute(f"SET {name} = '{value}'")
        connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def attach_for_writing(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    wait_s: float = DEFAULT_WAIT_S,
) -> Iterator[Attachment]:
    """Attaches the warehouse for writing, as the current database `warehouse` of `connection`.

    Creates the file if it does not exist. The caller runs its own transactions; one that is open at
    the end is rolled back.
    """
    texts.must_be_a_path(path)
    if not path.exists():
        _make(path)
    _must_exist(path)
    literal = str(path).replace("'", "''")
    (before,) = one(connection, "SELECT current_database()")
    with writer_lock.hold(path, wait_s):
        attached = _patiently(path, wait_s, lambda: _attach(connection, path, literal))
    try:
        connection.execute("USE warehouse")
        pending = migrate.check_history(connection)
        if any(m.version is not None for m in pending):
            raise _too_old(path)
        if pending:
            migrate.upgrade(connection)
        yield attached
    except Exception as error:
        damage.raise_if_found(path, error)
        texts.raise_if_refused(error)
        if isinstance(error, duckdb.Error) and (found := damage.unwritable(error)):
            raise found from error
        raise
    finally:
        _end_transaction(connection)  # after a failure, nothing may run before the rollback
        attached.detach(before)


def _attach(connection: duckdb.DuckDBPyConnection, path: Path, literal: str) -> Attachment:
    before = _identity(path)
    connection.execute("SET fsync_mode = 'STANDARD'")  # a scratch database is not synchronized
    connection.execute(f"ATTACH '{literal}' AS warehouse (TYPE duckdb)")  # whatever its name
    if _identity(path) != before:
        connection.execute("DETACH warehouse")
        raise _FileReplaced
    return Attachment(connection, path, "warehouse")


def _end_transaction(connection: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # no transaction is open
        connection.execute("ROLLBACK")


def _make(path: Path) -> None:
    """Creates an empty warehouse at `path`, atomically."""
    folder = path.with_name(path.name + ".scratch")
    part = folder / f"{os.getpid()}-{time.time_ns():x}" / "new.duckdb"
    try:
        part.parent.mkdir(parents=True)
        part.write_bytes(template.content())
        _put(part, path)
    except OSError as error:
        raise DatabaseError(f"{path} cannot be written: {error.strerror or error}") from None
    except duckdb.Error as error:
        raise explain(path, error) from None
    finally:
        shutil.rmtree(part.parent, ignore_errors=True)
        with suppress(OSError):  # an import may be using it
            folder.rmdir()


def _put(part: Path, path: Path) -> None:
    """Renames the new file, unless another process has created the warehouse meanwhile."""
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:  # no hard links on this file system
        if not path.exists():
            os.replace(part, path)


@contextmanager
def writer(
    path: Path, *, wait_s: float = DEFAULT_WAIT_S, is_locked: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens an existing warehouse for writing; the caller runs transactions.

    With `is_locked`, for statements of a user, SQL can access nothing but the warehouse.
    """
    _must_exist(path)
    connection = duckdb.connect()
    try:
        with attach_for_writing(connection, path, wait_s=wait_s):
            if is_locked:
                _lock(connection)
            yield connection
    finally:
        connection.close()


def _lock(connection: duckdb.DuckDBPyConnection) -> None:
    """Applies LOCKED_PROFILE to an open connection, permanently."""
    for name, value in LOCKED_PROFILE.items():
        connection.execute(f"SET {name} = '{value}'")
    connection.execute("SET lock_configuration = true")


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Runs the block in a transaction; rolls back on any exception."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        _end_transaction(connection)
        raise


def write_copy(connection: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Copies the warehouse of a `writer` into a new, compacted file.

    Tables keep the order of their rows, which scans prune by. The caller renames the file.
    """
    literal = str(target).replace("'", "''")
    connection.execute("CHECKPOINT warehouse")
    version = template.STORAGE_VERSION
    connection.execute(f"ATTACH '{literal}' AS fresh (STORAGE_VERSION '{version}')")
    connection.execute("COPY FROM DATABASE warehouse TO fresh")
    connection.execute("CHECKPOINT fresh")
    connection.execute("DETACH fresh")


@contextmanager
def shared_scratchpad() -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a connection of its own to an in-memory database of the process, for SQL of the
    program; creating a database takes 20 ms."""
    connection = _shared_memory().cursor()
    try:
        connection.execute("SET enable_progress_bar = false")
        yield connection
    finally:
        connection.close()


@cache
def _shared_memory() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config=dict(NO_WRONG_STATISTICS))


@contextmanager
def scratchpad() -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a locked in-memory database, for SQL over objects that the caller registers."""
    connection = duckdb.connect(config=dict(LOCKED_PROFILE))
    try:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def absorb_log(path: Path) -> None:
    """Checkpoints the write-ahead log (FILE.wal) of a database file into the file."""
    duckdb.connect(str(path)).close()


def schema_version(path: Path, *, wait_s: float = DEFAULT_WAIT_S) -> int:
    """Returns the schema version of a warehouse, also of one this program cannot read."""
    _must_exist(path)
    connection = _patiently(path, wait_s, lambda: _locked(path, dict(LOCKED_PROFILE)))
    try:
        return migrate.version(connection)
    finally:
        connection.close()


def upgrade_file(
    path: Path,
    *,
    wait_s: float = DEFAULT_WAIT_S,
    afterwards: Prepare | None = None,
) -> list[str]:
    """Runs the pending migrations of a warehouse, then `afterwards`; returns the names run."""
    _must_exist(path)
    connection = _patiently(path, wait_s, lambda: duckdb.connect(str(path), config=_OFFLINE))
    name, file = one(
        connection,
        "SELECT database_name, path FROM duckdb_databases() "
        "WHERE database_name = current_database()",
    )
    if file is None:  # a database in memory, with a view of the file: JSON or Parquet
        connection.close()
        raise _no_database(path)
    attached = Attachment(connection, path, name)
    try:
        migrate.version(connection)  # raises for a database that is not a warehouse
        done = [m.name for m in migrate.upgrade(connection)]
        if afterwards is not None and afterwards(connection):
            done.append("queries")
        attached.checkpoint()
        return done
    finally:
        connection.close()
        attached.close()


def create_empty(path: Path) -> None:
    """Creates an empty warehouse; raises DatabaseError if the file exists."""
    if path.exists():
        raise DatabaseError(f"{path} already exists")
    texts.must_be_a_path(path)
    _make(path)


def fill_memory(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the empty database `memory` a warehouse; running the migrations takes 0.3 s longer."""
    with tempfile.TemporaryDirectory(prefix="tw-new-") as folder:
        path = Path(folder, "new.duckdb")
        create_empty(path)
        literal = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{literal}' AS template (READ_ONLY)")
        connection.execute("COPY FROM DATABASE template TO memory; DETACH template")


def one(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Any = None) -> tuple[Any, ...]:
    """Returns the single row of a result. (`fetchone` would leave the result open, which blocks
    further statements on the connection.)"""
    rows = connection.execute(sql, parameters).fetchall()
    assert len(rows) == 1
    return tuple(rows[0])


def next_id(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    """The id of the next row of a table whose ids count from 1, within a transaction."""
    (number,) = one(connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}")
    return int(number)


def _too_old(path: Path) -> InvalidDatabase:
    return InvalidDatabase(
        f"{path} has an older schema than this tw", hint=f"Run `tw schema upgrade --db {path}`."
    )


class _FileReplaced(Exception):
    """The file was replaced while it was being opened, as by `tw vacuum`."""


def _identity(path: Path) -> tuple[int, int]:
    """Returns device and inode of the file; (0, 0) if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _must_exist(path: Path) -> None:
    texts.must_be_a_path(path)
    try:
        is_there = path.exists()
    except OSError as error:  # of a folder on the way
        raise DatabaseError(f"{path} cannot be read: {error.strerror}") from None
    if not is_there:
        raise MissingDatabase(
            f"warehouse {path} not found",
            hint="Import traces with `tw import PATH`, or name another file with --db.",
        )
    damage.raise_if_no_file(path)


def _patiently(path: Path, wait_s: float, attempt: Any) -> Any:
    """Runs `attempt`, retrying for up to `wait_s` while another process has locked the file."""
    deadline = time.monotonic() + wait_s
    pause = 0.05
    while True:
        block_copies.restore(path)
        try:
            return attempt()
        except _FileReplaced:
            if time.monotonic() > deadline + 1:
                raise LockedDatabase(
                    f"{path} is being replaced repeatedly", hint="Try again."
                ) from None
            continue
        except duckdb.Error as error:
            failure = explain(path, error)
            if not isinstance(failure, LockedDatabase) or time.monotonic() + pause > deadline:
                raise failure from None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def _no_database(path: Path) -> InvalidDatabase:
    return InvalidDatabase(
        f"{path} is damaged or not a DuckDB file",
        hint="Restore it from a backup, or name another file with --db.",
    )


def explain(path: Path, error: duckdb.Error) -> DatabaseError:
    """Converts an error of DuckDB about a file to a DatabaseError."""
    text = str(error)
    if "lock on file" in text or "different configuration" in text:
        holder = _PID.search(text)
        who = f"process {holder.group(1)}" if holder else "another connection of this process"
        return LockedDatabase(
            f"{path} is in use by {who}",
            hint="Wait for it to finish, or wait longer with --wait SECONDS.",
        )
    if "version number" in text:
        return NewerDatabase(
            f"{path} was written by a newer DuckDB than the installed {duckdb.__version__}",
            hint="Upgrade the duckdb package: pip install --upgrade duckdb.",
        )
    if not os.access(path if path.exists() else path.parent, os.R_OK):
        return DatabaseError(f"{path} cannot be read: permission denied")
    if any(each in text for each in _OF_OTHER_FORMATS):
        return _no_database(path)
    if found := damage.of(path, error) or damage.unwritable(error):
        return found
    return DatabaseError(f"{path} cannot be opened: {text.splitlines()[0]}")
