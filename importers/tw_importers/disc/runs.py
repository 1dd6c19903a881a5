"""Takes the runs of a log: each prints the shapes and types of its inputs, in lines of its own.

The lines of a run follow each other unless several threads write at once. Then they are told apart
by the ids of threads, if the log has them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

PREFIX: Final = (
    rb"^(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}): [IWEF](?: +(?P<thread>\d{1,18}))? "
    rb"[^\s:]+:\d+\] "
)
_BEGIN: Final = b"] print ins/outs"
_OUTPUTS: Final = b"] num outputs #"
_START: Final = re.compile(PREFIX.removesuffix(rb"\] ").replace(rb"(?P<at>", rb"(?:"))
_INPUT: Final = re.compile(
    rb">> input tensor #\d+@\[([^\]\n]*)\] \[\r?\n[^\n]*\] \tTensor<type: (\w+) "
)
_SHAPE: Final = re.compile(rb"(?:-?\d{1,18}(?:, *-?\d{1,18})*)?")
_DATE: Final = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STAMP: Final = 26  # characters of a date with microseconds
NO_THREAD: Final = -1

Shapes = tuple[tuple[int, ...], ...]
Types = tuple[str, ...]


class Runs:
    """Runs as columns; equal shapes and types are stored once."""

    def __init__(self) -> None:
        self.at = array("q")  # microseconds of local time
        self.thread = array("q")  # NO_THREAD: not logged
        self.inputs = array("q")  # number of the shapes and types
        self.distinct: dict[tuple[Shapes, Types], int] = {}
        self._by_text: dict[tuple[tuple[bytes, bytes], ...], int | None] = {}
        self._open: dict[int, tuple[int, list[tuple[int, ...]], list[str]]] = {}

    def __len__(self) -> int:
        return len(self.at)

    @property
    def is_open(self) -> bool:
        """Whether a run has begun whose outputs have not."""
        return bool(self._open)

    def add(self, at: int, thread: int, inputs: int) -> None:
        """Adds a run."""
        self.at.append(at)
        self.thread.append(thread)
        self.inputs.append(inputs)

    def number(self, key: tuple[tuple[bytes, bytes], ...]) -> int | None:
        """The number of shapes and types, as texts; None if a shape is invalid."""
        if key not in self._by_text:
            is_valid = all(_SHAPE.fullmatch(shape) for shape, _ in key)
            self._by_text[key] = (
                self._number([_sizes(shape) for shape, _ in key], [text(kind) for _, kind in key])
                if is_valid
                else None
            )
        return self._by_text[key]

    def take(self, found: re.Match[bytes], at: int) -> None:
        """Adds a line to the run of its thread."""
        thread = int(found["thread"]) if found["thread"] else NO_THREAD
        if found["run"]:
            if thread in self._open:  # its outputs are not in the log
                self._close(thread)
            self._open[thread] = (len(self), [], [])
            self.add(at, thread, -1)
        elif thread not in self._open:
            return
        elif found["input"]:
            self._open[thread][1].append(_sizes(found["shape"]))
        elif found["type"] and len(self._open[thread][2]) < len(self._open[thread][1]):
            self._open[thread][2].append(text(found["type"]))
        elif found["outputs"]:
            self._close(thread)

    def close(self) -> None:
        """Ends runs whose outputs are not in the log."""
        for thread in list(self._open):
            self._close(thread)

    def _close(self, thread: int) -> None:
        place, shapes, types = self._open.pop(thread)
        self.inputs[place] = self._number(shapes, types)

    def _number(self, shapes: list[tuple[int, ...]], types: list[str]) -> int:
        key = (tuple(shapes), tuple(types))
        return self.distinct.setdefault(key, len(self.distinct))


def take_whole(block: bytes, runs: Runs, read: Callable[[bytes], None]) -> bytes:
    """Adds runs whose lines follow each other; returns the text between them.

    Other text with runs is given to `read`, up to the next run that begins while none is open.
    """
    others, place, begin = [], 0, block.find(_BEGIN)
    while begin >= 0:
        line = block.rfind(b"\n", 0, begin) + 1
        following = block.find(_BEGIN, begin + 1)
        if runs.is_open:
            read(block[place:line])
        else:
            others.append(block[place:line])
        limit = following if following > 0 else len(block)
        end = -1 if runs.is_open else block.find(_OUTPUTS, begin, limit)
        if end >= 0 and _add(runs, block[line:begin], block[begin:end]):
            place = end + 1
        else:
            place = len(block) if following < 0 else block.rfind(b"\n", 0, following) + 1
            read(block[line:place])
        begin = following
    if runs.is_open:
        read(block[place:])
    else:
        others.append(block[place:])
    return b"".join(others)


def _add(runs: Runs, start: bytes, lines: bytes) -> bool:
    """Adds a run, unless its lines are not all that is there; returns whether it did."""
    thread, mark = _thread(start[_STAMP:])
    found = tuple(_INPUT.findall(lines))
    n = len(found)
    if thread is None or lines.count(b"\n") != 2 + 3 * n:
        return False
    if mark and lines.count(mark) != 2 + 2 * n:
        return False
    number, at = runs.number(found), micros(start[:_STAMP])
    if number is None or not at:
        return False
    runs.add(at, thread, number)
    return True


@lru_cache(maxsize=4096)
def _thread(rest: bytes) -> tuple[int | None, bytes]:
    """The thread of a line, and what all its lines have after the date; None: no such line."""
    found = _START.fullmatch(b"2000-01-01 00:00:00.000000" + rest)
    if found is None:
        return None, b""
    if found["thread"] is None:
        return NO_THREAD, b""
    return int(found["thread"]), rest[: found.end("thread") - _STAMP] + b" "


def micros(stamp: bytes) -> int:
    """Microseconds since 1970 of a date; 0 for an invalid one."""
    digits = stamp[20:]
    if len(digits) != 6 or not digits.isdigit():
        return 0
    seconds = _seconds(stamp[:19])
    return seconds + int(digits) if seconds else 0


@lru_cache(maxsize=4096)
def _seconds(date: bytes) -> int:
    try:
        moment = datetime.fromisoformat(date.decode()) if _DATE.fullmatch(date) else _EPOCH
    except ValueError:
        return 0
    return int(moment.replace(tzinfo=UTC).timestamp()) * 1_000_000


def _sizes(shape: bytes) -> tuple[int, ...]:
    return tuple(int(each) for each in shape.split(b",") if each.strip())


def text(value: bytes) -> str:
    """The text of bytes."""
    return value.decode(errors="replace")
