"""XSpace messages written byte by byte, without a protobuf library.

Field numbers: github.com/openxla/xla, third_party/tsl/tsl/profiler/protobuf/xplane.proto.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Value = int | float | str | bytes


@dataclass
class Event:
    """An event; `at_ps` counts from its line's time. `count`: an aggregate, which has no time."""

    name: str
    at_ps: int = 0
    dur_ps: int = 0
    stats: Mapping[str, Value] = dataclasses.field(default_factory=dict)
    count: int | None = None


@dataclass
class Line:
    """A row of a plane."""

    name: str
    events: Sequence[Event]
    id: int = 1
    at_ns: int = 0


@dataclass
class Plane:
    """A plane; `of_names` are statistics of names, also without events, `display` other names."""

    name: str
    lines: Sequence[Line] = ()
    stats: Mapping[str, Value] = dataclasses.field(default_factory=dict)
    of_names: Mapping[str, Mapping[str, Value]] = dataclasses.field(default_factory=dict)
    display: Mapping[str, str] = dataclasses.field(default_factory=dict)
    without: Sequence[str] = ()  # names of events or statistics that the file does not tell


def space(*planes: Plane, hosts: Sequence[str] = (), errors: Sequence[str] = ()) -> bytes:
    """A whole file."""
    return b"".join(
        [
            *(field(1, _plane(each)) for each in planes),
            *(field(2, each.encode()) for each in errors),
            *(field(4, each.encode()) for each in hosts),
        ]
    )


class _Names:
    """Numbers of names, from 1 on."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known) + 1)


def _plane(plane: Plane) -> bytes:
    events, stats = _Names(), _Names()
    own = [field(6, _stat(stats, key, value)) for key, value in plane.stats.items()]
    lines = [field(3, _line(each, events, stats)) for each in plane.lines]
    for name in plane.of_names:
        events.number(name)
    entries = [
        field(4, _entry(number, _event_name(plane, name, number, stats)))
        for name, number in list(events.known.items())
        if name not in plane.without
    ]
    of_stats = [
        field(5, _entry(number, integer(1, number) + field(2, name.encode())))
        for name, number in stats.known.items()
        if name not in plane.without
    ]
    return b"".join([field(2, plane.name.encode()), *lines, *entries, *of_stats, *own])


def _event_name(plane: Plane, name: str, number: int, stats: _Names) -> bytes:
    parts = [integer(1, number), field(2, name.encode())]
    if name in plane.display:
        parts.append(field(4, plane.display[name].encode()))
    for key, value in plane.of_names.get(name, {}).items():
        parts.append(field(5, _stat(stats, key, value)))
    return b"".join(parts)


def _line(line: Line, events: _Names, stats: _Names) -> bytes:
    made = [integer(1, line.id), field(2, line.name.encode()), integer(3, line.at_ns)]
    for each in line.events:
        content = integer(1, events.number(each.name))
        content += integer(2, each.at_ps) if each.count is None else integer(5, each.count)
        content += integer(3, each.dur_ps)
        for key, value in each.stats.items():
            content += field(4, _stat(stats, key, value))
        made.append(field(4, content))
    return b"".join(made)


def _stat(names: _Names, key: str, value: Value) -> bytes:
    """Texts that begin with @ are stored as references to names."""
    number = integer(1, names.number(key))
    if isinstance(value, str):
        if value.startswith("@"):
            return number + integer(7, names.number(value[1:]))
        return number + field(5, value.encode())
    if isinstance(value, bytes):
        return number + field(6, value)
    if isinstance(value, float):
        return number + b"\x11" + struct.pack("<d", value)
    return number + integer(4 if value < 1 << 63 else 3, value)


def _entry(key: int, value: bytes) -> bytes:
    return integer(1, key) + field(2, value)


def integer(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value & (1 << 64) - 1)


def field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
