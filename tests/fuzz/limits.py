"""Limits of one execution: processor time, and memory of the process."""

from __future__ import annotations

import resource
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

MAX_BYTES = 1 << 30  # of memory that is in use at once
_FRESH_BYTES = 256 << 20  # a process that has only loaded the program uses less
_CLEAR_PEAK = "5"
_UNSEEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


class Violation(Exception):
    """An input broke a rule of imports."""


@contextmanager
def limited(cpu_s: float) -> Iterator[None]:
    """Raises Violation after so much processor time, or if memory grew beyond the limit.

    Memory that other tests have left in use in this process does not count. Warnings that users
    would see on their terminal are violations as well.

    Works in the main thread only, where Python code runs from time to time; `supervise` ends a
    process that does not react.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise Violation(f"took more than {cpu_s:.0f} s of processor time")

    before = _peak_bytes()
    max_bytes = MAX_BYTES + max(0, _resident_bytes() - _FRESH_BYTES)
    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    if seen := [each for each in shown if not issubclass(each.category, _UNSEEN)]:
        raise Violation(f"warns: {seen[0].category.__name__}: {seen[0].message}")
    peak = _peak_bytes()
    if peak > max_bytes and peak > before:
        _forget_peak()
        raise Violation(f"took more than {MAX_BYTES >> 20} MiB of memory")


def _peak_bytes() -> int:
    # That of the process, whichever thread asks; asking for all threads takes a millisecond.
    return resource.getrusage(resource.RUSAGE_THREAD).ru_maxrss << 10


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _forget_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(_CLEAR_PEAK)


def limit_address_space(more_bytes: int) -> None:
    """Lets the process reserve so much more than now; what goes beyond is a MemoryError."""
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + more_bytes, hard))
