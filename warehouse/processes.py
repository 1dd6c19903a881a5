"""Processes of this machine: whether one runs, and workers that end with the process they serve."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs, also one of another user."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # an overflow: no process has such an id
        return False
    except OSError:  # not permitted: it exists
        return True
    return True


def end_with(parent: Connection) -> None:
    """Ends this process when the other end of a pipe is closed; for a thread of a worker.

    The parent sends nothing: it closes its end to cancel, and the system does when it ends.
    """
    with suppress(EOFError, OSError):
        parent.recv_bytes()
    os._exit(1)
