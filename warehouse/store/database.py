"""Opens warehouse files; nothing else in the program opens a database.

Three ways in, by what the caller needs:

- `Reader(path)`: locked read-only, for everything that runs a user's SQL;
- `attach_for_writing(connection, path)`: the warehouse as `warehouse` beside a scratch database;
  `writer(path)`: the same without one;
- `upgrade_file(path)`: migrations.

DuckDB lets one process write or many read. So a file is held only while something runs, and
waiting for another process is bounded and says for whom.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import duckdb

from warehouse.errors import DatabaseError, InvalidDatabase, Locked, Missing, TooNew
from warehouse.store import migrate, writer_lock

if TYPE_CHECKING:
    from concurrent.futures import Future

#: The oldest storage format that has all the schema needs: other DuckDB clients can open it.
STORAGE_VERSION = "v1.5.0"
DEFAULT_WAIT_S = 10.0
Prepare = Callable[[duckdb.DuckDBPyConnection], object]
_PID = re.compile(r"\(PID (\d+)\)")

#: DuckDB 2.0.0 misjudges the largest sum over a LEFT JOIN whose right side a filter leaves empty.
#: By such statistics it drops rows (HAVING sum(x) > ...) and cuts numbers short when it sorts them;
#: without them its answers are right. tests/store/test_store.py has the case.
NO_WRONG_STATISTICS: Final = {"disabled_optimizers": "statistics_propagation"}

#: No SQL that runs under these settings reads or writes anything but the open database.
LOCKED_PROFILE: dict[str, Any] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_unsigned_extensions": False,
    "python_enable_replacements": False,
    **NO_WRONG_STATISTICS,
}


class Reader:
    """A locked read-only connection; a context manager that closes the file at its end.

    `connection` may run any SQL: it cannot write, read other files, load extensions or change
    settings. Raises DatabaseError (Missing, Locked, TooNew, InvalidDatabase) when the file cannot be read.
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
        config = dict(LOCKED_PROFILE)
        if memory_limit:
            config["memory_limit"] = memory_limit
        if threads:
            config["threads"] = threads
        writer_lock.pass_door(path, wait_s)
        self.connection = _patiently(path, wait_s, lambda: _locked(path, config))
        try:
            if any(m.version is not None for m in migrate.check_history(self.connection)):
                raise _too_old(path)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


def _locked(path: Path, config: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    before = _identity(path)
    connection = duckdb.connect(str(path), read_only=True, config=config)
    if _identity(path) != before:
        connection.close()
        raise _FileReplaced
    (is_locked,) = one(connection, "SELECT current_setting('lock_configuration')")
    if not is_locked:  # a second connection of this process finds the settings of the first
        # Where DuckDB takes the program for a shell, as under `python -c`, it draws over stdout.
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def attach_for_writing(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    wait_s: float = DEFAULT_WAIT_S,
) -> Iterator[None]:
    """Holds the warehouse for writing as the current database `warehouse` of `connection`.

    A new file is made with this program's schema. The caller runs its own transactions; one that
    is open at the end is rolled back.
    """
    if not path.exists():
        _make(path)
    _must_exist(path)
    literal = str(path).replace("'", "''")
    (before,) = one(connection, "SELECT current_database()")
    with writer_lock.hold_door(path, wait_s):
        _patiently(path, wait_s, lambda: _attach(connection, path, literal))
    try:
        connection.execute("USE warehouse")
        pending = migrate.check_history(connection)
        if any(m.version is not None for m in pending):
            raise _too_old(path)
        if pending:
            migrate.upgrade(connection)
        yield
    finally:
        _end_transaction(connection)  # after a failure nothing else may run before it
        connection.execute(f'USE "{before}"')
        connection.execute("DETACH warehouse")


def _attach(connection: duckdb.DuckDBPyConnection, path: Path, literal: str) -> None:
    before = _identity(path)
    connection.execute(f"ATTACH '{literal}' AS warehouse")
    if _identity(path) != before:
        connection.execute("DETACH warehouse")
        raise _FileReplaced


def _end_transaction(connection: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # none was open: the caller ended its own
        connection.execute("ROLLBACK")


def _make(path: Path) -> None:
    """Puts a warehouse without traces at `path`: made beside it, so that it is never half there."""
    folder = path.with_name(path.name + ".scratch")
    part = folder / f"{os.getpid()}-{time.time_ns():x}" / "new.duckdb"
    try:
        part.parent.mkdir(parents=True)
        part.write_bytes(_new_content())
        _put(part, path)
    except OSError as error:
        raise DatabaseError(f"{path} cannot be written: {error.strerror or error}") from None
    except duckdb.Error as error:
        raise explain(path, error) from None
    finally:
        shutil.rmtree(part.parent, ignore_errors=True)
        with suppress(OSError):  # an import may be at work in it
            folder.rmdir()


def expect_new() -> None:
    """Says that a warehouse will be made soon: a thread makes it ready, while the caller reads what
    goes into it."""
    _new_file()


def _new_content() -> bytes:
    try:
        return _new_file().result()
    except BaseException:
        _new_file.cache_clear()  # the next may succeed
        raise


@cache
def _new_file() -> Future[bytes]:
    """A warehouse without traces, as bytes: made once a process, in a thread of its own."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    made = pool.submit(_empty_file)
    pool.shutdown(wait=False)
    return made


def _empty_file() -> bytes:
    with tempfile.TemporaryDirectory(prefix="tw-new-") as folder:
        path = f"{folder}/new.duckdb".replace("'", "''")
        connection = duckdb.connect()
        try:
            connection.execute(
                f"ATTACH '{path}' AS warehouse (STORAGE_VERSION '{STORAGE_VERSION}')"
            )
            connection.execute("USE warehouse")
            migrate.upgrade(connection)
            connection.execute("USE memory")
            connection.execute("DETACH warehouse")
        finally:
            connection.close()
        return Path(folder, "new.duckdb").read_bytes()


def _put(part: Path, path: Path) -> None:
    """Gives the file its name, unless another process was first: then its warehouse is as good."""
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:  # no hard links on this file system
        if not path.exists():
            os.replace(part, path)


@contextmanager
def writer(path: Path, *, wait_s: float = DEFAULT_WAIT_S) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that holds an existing warehouse for writing; the caller runs transactions."""
    _must_exist(path)
    connection = duckdb.connect()
    try:
        with attach_for_writing(connection, path, wait_s=wait_s):
            yield connection
    finally:
        connection.close()


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """What runs inside happens wholly or not at all."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        _end_transaction(connection)
        raise


def write_copy(connection: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Writes all that the warehouse of a `writer` holds into a new file, without its free space.

    Tables keep the order of their rows, which scans prune by. The caller gives the file its name.
    """
    literal = str(target).replace("'", "''")
    connection.execute("CHECKPOINT warehouse")
    connection.execute(f"ATTACH '{literal}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
    connection.execute("COPY FROM DATABASE warehouse TO fresh")
    connection.execute("CHECKPOINT fresh")
    connection.execute("DETACH fresh")


@contextmanager
def scratchpad() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory, for SQL that is to see nothing but what the caller registers."""
    connection = duckdb.connect(config=dict(LOCKED_PROFILE))
    try:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def absorb_log(path: Path) -> None:
    """Brings what stands in the log beside a database file (FILE.wal) into the file itself."""
    duckdb.connect(str(path)).close()


def schema_version(path: Path, *, wait_s: float = DEFAULT_WAIT_S) -> int:
    """The schema version of a warehouse, whether or not this program can work with it."""
    _must_exist(path)
    connection: duckdb.DuckDBPyConnection = _patiently(
        path,
        wait_s,
        lambda: _locked(path, dict(LOCKED_PROFILE)),
    )
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
    """Runs the pending migrations of a warehouse, then `afterwards`; returns what was run."""
    _must_exist(path)
    connection: duckdb.DuckDBPyConnection = _patiently(
        path, wait_s, lambda: duckdb.connect(str(path))
    )
    try:
        migrate.version(connection)  # refuse to put a schema into somebody else's database
        done = [m.name for m in migrate.upgrade(connection)]
        if afterwards is not None and afterwards(connection):
            done.append("queries")
        return done
    finally:
        connection.close()


def create_empty(path: Path) -> None:
    """Makes a new warehouse without traces; refuses to touch an existing file."""
    if path.exists():
        raise DatabaseError(f"{path} exists already")
    connection = duckdb.connect()
    try:
        with attach_for_writing(connection, path):
            pass
    finally:
        connection.close()


def one(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Any = None) -> tuple[Any, ...]:
    """The single row of a result. (A `fetchone` would leave the result open, and DuckDB refuses
    further statements on the connection until it is closed.)"""
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
    """Another file took the warehouse's name, as after `tw vacuum`, while the old was opened."""


def _identity(path: Path) -> tuple[int, int]:
    """Which file the name stands for now; (0, 0) while it stands for none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _must_exist(path: Path) -> None:
    if not path.exists():
        raise Missing(
            f"there is no warehouse at {path}",
            hint="Import something first: `tw import PATH`, or name another file with --db.",
        )
    if path.is_dir():
        raise InvalidDatabase(f"{path} is a folder, not a warehouse")


def _patiently(path: Path, wait_s: float, attempt: Any) -> Any:
    """Runs `attempt`, again and again while another process holds the file, up to `wait_s`."""
    deadline = time.monotonic() + wait_s
    pause = 0.05
    while True:
        try:
            return attempt()
        except _FileReplaced:
            if time.monotonic() > deadline + 1:
                raise Locked(f"{path} is replaced again and again", hint="Try again.") from None
            continue
        except duckdb.Error as error:
            failure = explain(path, error)
            if not isinstance(failure, Locked) or time.monotonic() + pause > deadline:
                raise failure from None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def explain(path: Path, error: duckdb.Error) -> DatabaseError:
    """DuckDB's complaint about a file, as one of ours."""
    text = str(error)
    if "lock on file" in text or "different configuration" in text:
        holder = _PID.search(text)
        who = f"process {holder.group(1)}" if holder else "another connection of this process"
        return Locked(
            f"{path} is in use by {who}",
            hint="Wait for it to finish, or give tw more patience with --wait SECONDS.",
        )
    if "version number" in text:
        return TooNew(
            f"{path} was written by a DuckDB this one (duckdb {duckdb.__version__}) cannot read",
            hint="Upgrade the duckdb package: pip install --upgrade duckdb.",
        )
    if not os.access(path if path.exists() else path.parent, os.R_OK):
        return DatabaseError(f"{path} may not be read: permission denied")
    if "not a valid DuckDB database" in text or "Corrupt" in text or "checksum" in text:
        return InvalidDatabase(
            f"{path} is damaged, or no DuckDB file",
            hint="Restore it from a copy, or name another file with --db.",
        )
    return DatabaseError(f"{path} cannot be opened: {text.splitlines()[0]}")
