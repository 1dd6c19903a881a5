"""Writer-preference lock: new readers block while a writer waits.

DuckDB's file lock has no queue: with several readers in a loop, a writer could wait forever. A
writer therefore holds a second lock while it waits, which readers wait for before they open the
file. It is flock(2) on the folder of the warehouse: it leaves no file behind, ends with its
process, and is independent of DuckDB's locks. Without flock there is no preference.

A process that already reads a file of the folder does not wait: the writer may be waiting for it.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not available on this system
    fcntl = None  # type: ignore[assignment]

_PAUSE_S = 0.02

_guard = threading.Lock()
_n_readers: Counter[Path] = Counter()  # of this process, by folder


def add_reader(path: Path) -> Path:
    """Counts a reader of this process until `remove_reader` gets what this returns."""
    folder = path.parent.resolve()
    with _guard:
        _n_readers[folder] += 1
    return folder


def remove_reader(folder: Path) -> None:
    """Ends what `add_reader` began."""
    with _guard:
        _n_readers[folder] -= 1


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
    if _n_readers[path.parent.resolve()]:
        wait_s = 0
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
