"""Copies of a warehouse: `tw vacuum` (compacted, replaces the file) and `tw backup`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse.errors import DatabaseError, UsageError
from warehouse.ingest.pipeline import scratch_folder
from warehouse.store import database

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

    Readers are not blocked, writers wait. The copy is opened once before it is renamed. Raises
    UsageError if `target` exists and may not be replaced, DatabaseError otherwise.
    """
    if target.exists() and (not replaces or target.samefile(path)):
        raise UsageError(f"{target} already exists", hint="Name another file, or add --force.")
    with database.Reader(path, wait_s=wait_s), _part_of(target) as part:
        try:
            _copy(path, part)
            log = path.with_name(path.name + ".wal")
            if log.exists():  # log of a killed process, part of the file
                _copy(log, part.with_name(part.name + ".wal"))
                database.absorb_log(part)
            with database.Reader(part):
                pass
            _settle(part)
            os.replace(part, target)
        except OSError as error:
            raise DatabaseError(f"{target} cannot be written: {error.strerror or error}") from None
    return target.stat().st_size


@contextlib.contextmanager
def _part_of(target: Path) -> Iterator[Path]:
    """Yields a temporary name beside the target, and removes what is left there."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
    finally:
        for left in (part, part.with_name(part.name + ".wal")):
            left.unlink(missing_ok=True)


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
