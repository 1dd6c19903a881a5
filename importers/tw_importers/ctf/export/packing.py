"""Packs events of CTF 1.8 into bytes, class by class."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tw_importers.ctf.export.tsdl import Class

_INTEGERS = {8: "b", 16: "h", 32: "i", 64: "q"}
_FLOATS = {32: "f", 64: "d"}
_Pack = Callable[[Any], bytes]


class Packer:
    """The events of one class."""

    def __init__(self, described: Class) -> None:
        self._head = struct.Struct("<IQ")
        self._number = described.number
        self._context = _members(described.context)
        self._payload = _members(described.payload)

    def event(self, ts: int, context: Mapping[str, Any], payload: Mapping[str, Any]) -> bytes:
        head = self._head.pack(self._number, max(ts, 0))
        return head + self._context(context) + self._payload(payload)


def _members(members: Sequence[Mapping[str, Any]]) -> _Pack:
    packs = [(member["name"], _packer(member)) for member in members]

    def pack(values: Mapping[str, Any]) -> bytes:
        return b"".join(each(values.get(name)) for name, each in packs)

    return pack


def _packer(kind: Mapping[str, Any]) -> _Pack:
    if kind["type"] == "integer":
        return _integer(kind)
    if kind["type"] == "float":
        packer = struct.Struct(f"<{_FLOATS[kind['size']]}")
        return lambda value: packer.pack(float("nan" if value is None else value))
    if kind["type"] == "string":
        return lambda value: _text("" if value is None else str(value))
    if kind["type"] == "structure":
        inside = _members(kind["members"])
        return lambda value: inside(value or {})
    if kind["type"] == "array":
        element = _packer(kind["element"])
        return lambda value: b"".join(element(each) for each in value or ())
    return lambda value: _text(json.dumps(value, ensure_ascii=False))


def _integer(kind: Mapping[str, Any]) -> _Pack:
    size, is_signed = kind["size"], kind.get("signed", False)
    packer = struct.Struct(f"<{_INTEGERS[size] if is_signed else _INTEGERS[size].upper()}")
    return lambda value: packer.pack(int(value or 0))


def _text(value: str) -> bytes:
    """Up to the first null, at which texts end."""
    return value.partition("\0")[0].encode(errors="replace") + b"\0"
