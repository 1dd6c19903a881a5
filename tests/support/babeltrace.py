"""Events as babeltrace2 prints them (`--clock-seconds --no-delta`): the reference for CTF."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_LINE = re.compile(r"\[(\d+)\.(\d{9})\] (?:(\S+) )?(\S+): (.*)")
_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}()\[\],=:|])|(<unknown>|[^\s,{}()\[\]=:|"]+))')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


@dataclass
class Event:
    """A printed event; `groups` are the packet context, event contexts and the payload."""

    ns: int
    host: str | None
    name: str
    groups: list[dict[str, Any]] = field(default_factory=list)

    @property
    def payload(self) -> dict[str, Any]:
        return self.groups[-1]

    @property
    def cpu(self) -> int:
        return int(self.groups[0]["cpu_id"])

    @property
    def context(self) -> dict[str, Any]:
        """All event contexts in one."""
        return {k: v for group in self.groups[1:-1] for k, v in group.items()}


class Enumeration(int):
    """A number with the label that was printed beside it."""

    label: str


def golden(path: Path) -> list[Event]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return list(events(stream.read()))


def events(text: str) -> Iterator[Event]:
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        assert found, line
        event = Event(int(found[1]) * 10**9 + int(found[2]), found[3], found[4])
        tokens = list(_TOKEN.finditer(found[5]))
        place = 0
        while place < len(tokens):
            group, place = _value(tokens, place)
            event.groups.append(group)
            place += 1  # the comma
        yield event


def _value(tokens: list[re.Match[str]], place: int) -> tuple[Any, int]:
    token = tokens[place]
    if token[1] is not None:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token[1]), place + 1
    if token[2] == "{":
        return _members(tokens, place + 1)
    if token[2] == "[":
        found, place = [], place + 1
        while tokens[place][2] != "]":
            place += 4  # [0] =
            value, place = _value(tokens, place)
            found.append(value)
            place += tokens[place][2] == ","
        return found, place + 1
    if token[2] == "(":
        end = next(n for n in range(place, len(tokens)) if tokens[n][2] == ")")
        number = Enumeration(_number(tokens[end - 1][3]))
        number.label = tokens[place + 1][1] or ""
        return number, end + 1
    return _number(token[3]), place + 1


def _members(tokens: list[re.Match[str]], place: int) -> tuple[dict[str, Any], int]:
    found = {}
    while tokens[place][2] != "}":
        name = tokens[place][3]
        found[name], place = _value(tokens, place + 2)
        place += tokens[place][2] == ","
    return found, place + 1


def _number(text: str) -> int | str:
    """Floating-point numbers stay texts: they are printed with six digits."""
    try:
        return int(text, 0)
    except ValueError:
        return text


def printed(value: Any, reference: Any) -> Any:
    """A decoded value as babeltrace2 would print it, next to which `reference` is."""
    if isinstance(value, dict) and isinstance(reference, dict):
        return {k: printed(v, reference.get(k)) for k, v in value.items() if k in reference}
    if isinstance(value, list) and isinstance(reference, list):
        pairs = zip(value, [*reference, *[None] * len(value)], strict=False)
        return [printed(v, r) for v, r in pairs]
    if isinstance(reference, str) and isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, float) and isinstance(reference, int):
        return int(float(f"{value:g}"))
    if isinstance(value, int) and value < 0 and isinstance(reference, int) and reference > 0:
        # signed numbers are printed in base 16 as they are stored
        return value & (0xFFFFFFFF if reference <= 0xFFFFFFFF else (1 << 64) - 1)
    return value
