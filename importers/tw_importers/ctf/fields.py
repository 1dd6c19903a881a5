"""Describes the fields of a class of events, so that they can be written again."""

from __future__ import annotations

from typing import Any

from tw_importers.ctf.tree import (
    Array,
    Bytes,
    EventClass,
    Float,
    Integer,
    Location,
    StreamClass,
    String,
    Struct,
    Type,
    Variable,
)

#: What is stored as JSON in a text: it has no type of CTF 1.8 that a reader would print alike.
_OTHER = {"type": "json"}


def described(stream: StreamClass, event: EventClass) -> dict[str, list[dict[str, Any]]]:
    """The members of contexts and payload, by name, type and size."""
    context = [*stream.context.members, *event.context.members]
    return {"context": _members(context), "payload": _members(event.payload.members)}


def _members(members: Any) -> list[dict[str, Any]]:
    before: set[str] = set()
    found = []
    for name, kind in members:
        found.append({"name": name, **_described(kind, before)})
        before.add(name)
    return found


def _described(kind: Type, before: set[str]) -> dict[str, Any]:
    if isinstance(kind, Integer):
        return _integer(kind.size, kind)
    if isinstance(kind, Variable):
        return _integer(64, kind)
    if isinstance(kind, Float):
        return {"type": "float", "size": max(kind.size, 32)}
    if isinstance(kind, String | Bytes):
        return {"type": "string"}
    if isinstance(kind, Struct):
        return {"type": "structure", "members": _members(kind.members)}
    if isinstance(kind, Array):
        element = _described(kind.element, set())
        length = _length(kind.length, before)
        if length is not None and element != _OTHER:
            return {"type": "array", "element": element, "length": length}
    return _OTHER


def _integer(size: int, kind: Integer | Variable) -> dict[str, Any]:
    whole = next(each for each in (8, 16, 32, 64) if each >= size)
    found: dict[str, Any] = {"type": "integer", "size": whole}
    if kind.is_signed:
        found["signed"] = True
    if kind.base != 10:
        found["base"] = kind.base
    if kind.labels:
        found["labels"] = [list(each) for each in kind.labels]
    return found


def _length(length: int | Location, before: set[str]) -> int | str | None:
    """A number, or the name of a member before the array; None for what is elsewhere."""
    if isinstance(length, int):
        return length
    name = length.path[-1]
    return name if name in before and len(length.path) == 1 else None
