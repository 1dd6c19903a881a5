"""Lets a writer have its turn: who wants to read waits at the door while somebody waits to write.

DuckDB's lock goes to whoever asks at the right moment. Where several read again and again, there
may never be a moment without a reader, and a writer would wait for ever. So a writer holds the door
while it waits for the lock, and readers pass through the door before they ask for it. The door is
flock(2) on the warehouse's folder: it leaves no file behind, is gone with its process, and is
independent of DuckDB's own locks. Where there is no flock, nobody waits at the door.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on this system
    fcntl = None  # type: ignore[assignment]

_PAUSE_S = 0.02


def pass_door(path: Path, wait_s: float) -> None:
    """A reader's way: waits while a writer holds the door, but no longer than it may at all."""
    with _held(path, wait_s, is_writer=False):
        pass


@contextmanager
def hold_door(path: Path, wait_s: float) -> Iterator[None]:
    """A writer's way: held until the block ends, which is when it has the lock or gives up."""
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
    """Takes the lock, or goes on without it when time is up: it is courtesy, not safety."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(folder, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
            time.sleep(_PAUSE_S)
        except OSError:  # this file system knows no such locks
            return
        else:
            return
