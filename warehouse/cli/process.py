"""The end of the process."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """Ends the process as `sys.exit` does, but frees no objects: that takes 0.2 s.

    Waits for threads and runs the functions registered for the exit. What must be closed, such as
    a warehouse, has been: its context manager was left.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # as `main` reports it
            stream.flush()
    os._exit(code)
