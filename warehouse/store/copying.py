"""Copies of a warehouse: `tw vacuum` (compacted, replaces the file) and `tw backup`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse import files
from warehouse.errors import DatabaseError, InvalidDatabase, UsageError
from warehouse.ingest.pipeline import scratch_folder
from warehouse.store import database, integrity, texts

#: Exits with the errno(3) of a failure.
_COPY = """
import shutil, sys
try:
    shutil.copyfile(sys.argv[1], sys.argv[2])
except OSError as error:
    sys.exit(error.errno)
"""


@dataclass(frozen=True)
class VacuumResult:
    """Size of the file in bytes before and after."""

    before: int
    after: int


def vacuum(path: Path, *, wait_s: float = database.DEFAULT_WAIT_S) -> VacuumResult:
    """Replaces the warehouse by a compacted copy.

    DuckDB reuses free blocks but never shrinks a file. The old file is locked until the copy has
    replaced it; a process that opens the old file at that moment notices and retries (database.py).
    If killed, either the old or the new file remains. Raises DatabaseError; the warehouse is then
    unchanged.
    """
    real = path.resolve()  # a symbolic link keeps its target
    with scratch_folder(real) as folder:
        part = folder / "vacuum.duckdb"
        try:
            with database.writer(real, wait_s=wait_s) as connection:
                before = real.stat().st_size
                database.write_copy(connection, part)
                shutil.copymode(real, part)
                _settle(part)
                os.replace(part, real)
        except OSError as error:
            raise DatabaseError(f"{path} cannot be compacted: {error.strerror or error}") from None
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise DatabaseError(
                f"{path} cannot be compacted: {reason}",
                hint="Is there space for a second copy? The warehouse is unchanged.",
            ) from None
    return VacuumResult(before, real.stat().st_size)


def backup(
    path: Path, target: Path, *, replaces: bool = False, wait_s: float = database.DEFAULT_WAIT_S
) -> int:
    """Copies the warehouse to `target`, completely or not at all; returns its size in bytes.

    Readers are not blocked, writers wait. The copy has the mode of the warehouse; all of it is read
    before it is renamed. A stream receives the copy at the end. Raises UsageError if `target`
    exists and may not be replaced, InvalidDatabase if the warehouse is damaged, ExportError if the
    copy cannot be written, DatabaseError otherwise.
    """
    is_stream = files.is_stream(target)
    if target.exists() and not is_stream and (not replaces or target.samefile(path)):
        raise UsageError(f"{target} already exists", hint="Name another file, or add --force.")
    if not is_stream:
        texts.must_be_a_path(target)
    with (
        database.Reader(path, wait_s=wait_s),
        files.no_more_readable(path),
        files.whole_copy(target) as part,
    ):
        log = part.with_name(part.name + ".wal")
        try:
            _copy(path, part)
            if (log_of_killed := path.with_name(path.name + ".wal")).exists():  # part of the file
                _copy(log_of_killed, log)
                database.absorb_log(part)
            _verify(path, part)
            shutil.copymode(path, part)
            _settle(part)
            return part.stat().st_size
        finally:
            log.unlink(missing_ok=True)


def _verify(path: Path, part: Path) -> None:
    """Raises InvalidDatabase if a part of the copy cannot be read: then the source is damaged."""
    try:
        broken = integrity.check(part).broken
    except InvalidDatabase as error:
        message = error.message.replace(str(part), str(path))
        hint = (error.hint or "").replace(str(part), str(path))
        raise InvalidDatabase(message, hint=hint) from None
    if broken:
        raise broken[0].of(path)


def _copy(source: Path, target: Path) -> None:
    """Copies a file in another process, because closing a file releases all fcntl(2) locks of the
    process on it, DuckDB's included. Raises OSError."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _COPY, source, target], check=False)
    if done.returncode:
        raise OSError(done.returncode, os.strerror(done.returncode))


def _settle(path: Path) -> None:
    """Flushes the file to disk before it is renamed."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
