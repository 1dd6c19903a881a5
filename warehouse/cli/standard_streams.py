"""Standard streams of the process that are closed, full or broken."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO


def ensure_open() -> None:
    """Opens the standard streams that the caller closed (`tw ... >&-`).

    Otherwise the next file opened, such as the warehouse, would get the number of stdout. They
    fail when they are used, except stderr, which is discarded.
    """
    for number, name, flags in (
        (0, "stdin", os.O_WRONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is None and _occupy(number, flags):
            setattr(sys, name, _text(number, "r" if number == 0 else "w"))


def discard_output() -> None:
    """Discards what stdout still buffers, so that it is not written at exit."""
    with suppress(OSError, ValueError):  # not a file of the system, as in tests
        number = sys.stdout.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)


def flush_or_discard() -> None:
    """Writes what stdout buffers before an error is printed; discards it if that is impossible."""
    try:
        sys.stdout.flush()
    except OSError:
        discard_output()


def _occupy(number: int, flags: int) -> bool:
    """Opens /dev/null under a number that is free; returns whether it was."""
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, flags)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        return True
    return False


def _text(number: int, mode: str) -> TextIO:
    raw = io.FileIO(number, mode, closefd=False)
    buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace")
