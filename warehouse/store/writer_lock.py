"""Writer-preference lock: new readers block while a writer waits.

DuckDB's file lock has no queue: with several readers in a loop, a writer could wait forever. A
writer therefore holds a second lock while it waits, which readers wait for before they open the
file. It is flock(2) on the folder of the warehouse: it leaves no file behind, ends with its
process, and is independent of DuckDB's locks. Without flock there is no preference.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not available on this system
    fcntl = None  # type: ignore[assignment]

_PAUSE_S = 0.02


def wait_for_writer(path: Path, wait_s: float) -> None:
    """Waits while a writer holds the lock, for at most `wait_s` seconds; called by readers."""
    with _held(path, wait_s, is_writer=False):
        pass


@contextmanager
def hold(path: Path, wait_s: float) -> Iterator[None]:
    """Holds the lock until the block ends: until the writer has opened the file, or gives up."""
    with _held(path, wait_s, is_writer=True):
        yield


@contextmanager
def _held(path: Path, wait_s: float, *, is_writer: bool) -> Iterator[None]:
    folder = None
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
    try:
        if folder is not None and fcntl is not None:
            _lock(folder, wait_s, fcntl.LOCK_EX if is_writer else fcntl.LOCK_SH)
        yield
    finally:
        if folder is not None:
            os.close(folder)


def _lock(folder: int, wait_s: float, kind: int) -> None:
    """Acquires the lock, or continues without it at the deadline: it only ensures fairness."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(folder, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
            time.sleep(_PAUSE_S)
        except OSError:  # not supported by this file system
            return
        else:
            return
