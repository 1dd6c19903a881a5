"""A warehouse that is attached for writing: its write-ahead log, and when DuckDB checkpoints it.

A checkpoint writes what was committed to the file. It may only run where `BlockCopies` are made, so
that a kill within it damages nothing.
"""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import duckdb

from warehouse.store import block_copies, damage
from warehouse.store.block_copies import BlockCopies
from warehouse.store.statements import quoted

_LOG_STAYS = "CHECKPOINT during DETACH failed"
_MANY_BYTES = 16 << 20  # a disk takes long to write so many
_AT_ONCE, _NEVER = "0KB", "1TB"  # sizes of the log beyond which a commit checkpoints


class Attachment:
    """The database `name` of a connection, which has opened the file `path`.

    Checkpoints run in `commit`, `checkpoint` and `detach`. It is closed by `detach`, or by `close`
    after the connection was closed.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
        self.connection, self._path, self._name = connection, path, name
        self._has_failed = False  # a checkpoint by `commit`, which then undid the transaction
        _protect_log(path)
        self._checkpoint_after(_NEVER)
        self._copies = BlockCopies(path, name)
        self._n_bytes = self._copies.n_bytes()
        self._syncing: threading.Thread | None = None
        try:
            self._copies.write(connection)
        except BaseException:
            self._copies.close()
            raise

    def commit(self) -> None:
        """Commits the transaction by a checkpoint, which leaves nothing to `detach`.

        `COMMIT` alone writes rows to the log first, and to the file when it is detached. A process
        that is killed within the checkpoint leaves the file as it was before the transaction.
        """
        self._copies.write(self.connection)  # the transaction before may have ended like this
        self._checkpoint_after(_AT_ONCE)
        try:
            self.connection.execute("COMMIT")
        except duckdb.Error:
            self._has_failed = True
            raise
        self._checkpoint_after(_NEVER)
        _protect_log(self._path)  # the checkpoint removed it

    def start_sync(self) -> None:
        """Starts writing the rows inserted so far to the disk, in a thread, if there are many.

        `commit` then waits for the rest only; errors are left to it.
        """
        if self._syncing is None and self._copies.n_bytes() - self._n_bytes >= _MANY_BYTES:
            self._syncing = threading.Thread(target=self._copies.sync)
            self._syncing.start()

    def checkpoint(self) -> None:
        """Writes all that was committed to the file."""
        self._copies.write(self.connection)
        self.connection.execute("CHECKPOINT")
        self._copies.remove()

    def detach(self, next_name: str) -> None:
        """Detaches the file, into which DuckDB writes the log, unless the file is damaged.

        The connection then uses the database `next_name`. Where the disk is full, the log stays,
        with all that was committed: the next session reads it.
        """
        try:
            self.connection.execute(f"USE {quoted(next_name)}")
            if _has_log(self._path) and not self._has_failed:
                self._copies.write(self.connection)  # a statement may have been CHECKPOINT
            self.connection.execute(f"DETACH {self._name}")
            if not self._has_failed:
                self._copies.remove()
        except duckdb.Error as error:
            damage.raise_if_found(self._path, error)
            log_stays = _LOG_STAYS in str(error) and damage.unwritable(error)
            if not (log_stays or self._has_failed):  # that error is being raised
                raise
        finally:
            self.close()

    def close(self) -> None:
        """Releases the files, after DuckDB has closed them."""
        if self._syncing is not None:
            self._syncing.join()
        self._copies.close()
        if self._has_failed:
            block_copies.restore(self._path)
        _remove_empty_log(self._path)

    def _checkpoint_after(self, n_bytes: str) -> None:
        self.connection.execute(f"SET wal_autocheckpoint = '{n_bytes}'")


def _protect_log(path: Path) -> None:
    """Creates the write-ahead log, which holds rows of the warehouse, with the warehouse's mode.

    DuckDB would create it with the umask alone.
    """
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode) & 0o666
        os.close(os.open(_log(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def _remove_empty_log(path: Path) -> None:
    with suppress(OSError):
        if not _has_log(path):
            _log(path).unlink()


def _has_log(path: Path) -> bool:
    """Whether the log holds anything, or cannot be read."""
    try:
        return _log(path).stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _log(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
