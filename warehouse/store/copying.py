"""Whole copies of a warehouse: one that gives its free space back, one to keep."""

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

#: Exits with the number of the error, as errno(3) has it.
_COPY = """
import shutil, sys
try:
    shutil.copyfile(sys.argv[1], sys.argv[2])
except OSError as error:
    sys.exit(error.errno)
"""


@dataclass(frozen=True)
class VacuumResult:
    """Bytes of the file before and after."""

    before: int
    after: int


def vacuum(path: Path, *, wait_s: float = database.DEFAULT_WAIT_S) -> VacuumResult:
    """Writes the warehouse anew without its free space, and gives the new file its name.

    DuckDB reuses free blocks but never shortens a file. The old file is held until the new one has
    its name, so nobody writes between; whoever opens the old one at that moment notices and opens
    again (see store.py). Killed at any moment it leaves the old file or the new one. Raises
    DatabaseError; the warehouse is then as it was.
    """
    real = path.resolve()  # a link goes on pointing where it did
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
            raise DatabaseError(
                f"{path} cannot be written anew: {error.strerror or error}"
            ) from None
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise DatabaseError(
                f"{path} cannot be written anew: {reason}",
                hint="Is there room for a second copy of it? The warehouse is as it was.",
            ) from None
    return VacuumResult(before, real.stat().st_size)


def backup(
    path: Path, target: Path, *, replaces: bool = False, wait_s: float = database.DEFAULT_WAIT_S
) -> int:
    """Copies the warehouse as it is now to `target`, whole or not at all; returns its bytes.

    Others may read meanwhile; who wants to write waits. The copy is opened once before it gets its
    name. Raises UsageError where `target` exists and may not be replaced, DatabaseError otherwise.
    """
    if target.exists() and (not replaces or target.samefile(path)):
        raise UsageError(f"{target} exists already", hint="Name another file, or add --force.")
    with database.Reader(path, wait_s=wait_s), _part_of(target) as part:
        try:
            _copy(path, part)
            log = path.with_name(path.name + ".wal")
            if log.exists():  # left by a program that was killed; DuckDB reads it with the file
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
    """A name beside the target for what is not yet whole; nothing is left there in the end."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
    finally:
        for left in (part, part.with_name(part.name + ".wal")):
            left.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    """Copies bytes, in another process: a process that closes a file gives up all its locks on it,
    DuckDB's too (fcntl(2)). Raises OSError."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _COPY, source, target], check=False)
    if done.returncode:
        raise OSError(done.returncode, os.strerror(done.returncode))


def _settle(path: Path) -> None:
    """Waits until the bytes are on the disk, so that the new name never stands for less."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
