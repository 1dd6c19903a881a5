"""Decodes single structures: headers and contexts of packets, and events of irregular length.

Events as such are decoded by columns (gather.py); this finds where they end where no pattern does.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from tw_importers.ctf.tree import (
    MAX_LENGTH,
    Array,
    Bytes,
    Float,
    Integer,
    Location,
    Optional,
    String,
    Struct,
    Type,
    Variable,
    Variant,
    alignment,
)
from warehouse.errors import CorruptTrace

_FLOATS = {16: "e", 32: "f", 64: "d"}
_MAX_VARIABLE = 10  # bytes of a LEB128 of 64 bits


class Truncated(Exception):
    """A field extends beyond the content of its packet."""


class Decoder:
    """A position in a packet, in bits, and the fields before it.

    `scopes` holds finished structures by their origin; further structures are added to it.
    """

    def __init__(
        self,
        data: bytes,
        first: int,
        end: int,
        scopes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """`data` begins with the packet, whose begin alignments count from; positions are bits."""
        self._data, self._end = data, end
        self.position = first
        self.scopes = dict(scopes or {})
        self.roles: dict[str, Any] = {}
        self._types: dict[tuple[int, str], Type] = {}
        self._open: list[dict[str, Any]] = []

    def scope(self, origin: str, kind: Struct) -> Mapping[str, Any]:
        """Decodes a structure that later fields may refer to."""
        found = self._struct(kind)
        self.scopes[origin] = found
        return found

    def _align(self, align: int) -> None:
        self.position += -self.position % align

    def _take(self, n_bits: int) -> int:
        first = self.position
        if first + n_bits > self._end:
            raise Truncated
        self.position += n_bits
        return first

    def _value(self, kind: Type) -> Any:
        if isinstance(kind, Integer):
            return self._integer(kind)
        if isinstance(kind, Struct):
            return self._struct(kind)
        if isinstance(kind, String):
            return self._string(kind)
        if isinstance(kind, Bytes):
            return self._bytes(kind)
        if isinstance(kind, Array):
            length = self._number(kind.length)
            self._align(alignment(kind))
            return [self._value(kind.element) for _ in range(length)]
        if isinstance(kind, Float):
            return self._float(kind)
        if isinstance(kind, Variable):
            return self._variable(kind)
        return self._chosen(kind)

    def _struct(self, kind: Struct) -> dict[str, Any]:
        self._align(alignment(kind))
        found: dict[str, Any] = {}
        self._open.append(found)
        try:
            for name, member in kind.members:
                found[name] = self._value(member)
                self._types[id(found), name] = member
        finally:
            self._open.pop()
        return found

    def _integer(self, kind: Integer) -> int:
        self._align(kind.align)
        first = self._take(kind.size)
        if first % 8 == 0 and kind.size % 8 == 0:
            content = self._data[first // 8 : self.position // 8]
            value = int.from_bytes(content, "big" if kind.is_big else "little")
        else:
            value = self._bits(first, kind)
        if kind.is_signed and value >> (kind.size - 1):
            value -= 1 << kind.size
        for role in kind.roles:
            self.roles[role] = value
        return value

    def _bits(self, first: int, kind: Integer) -> int:
        """The first bit of a byte is its lowest, or in big-endian order its highest."""
        low, high = first // 8, -(-self.position // 8)
        order = "big" if kind.is_big else "little"
        whole = int.from_bytes(self._data[low:high], order)  # type: ignore[arg-type]
        shift = high * 8 - self.position if kind.is_big else first - low * 8
        return (whole >> shift) & ((1 << kind.size) - 1)

    def _float(self, kind: Float) -> float:
        self._align(kind.align)
        first = self._take(kind.size)
        whole = Integer(kind.size, kind.align, is_big=kind.is_big)
        content = self._bits(first, whole).to_bytes(kind.size // 8, "little")
        return float(struct.unpack(f"<{_FLOATS[kind.size]}", content)[0])

    def _string(self, kind: String) -> bytes:
        self._align(8)
        first, width = self.position // 8, unit(kind.encoding)
        end = terminator(self._data, first, self._end // 8, width)
        if end < 0:
            raise Truncated
        self.position = (end + width) * 8
        return self._data[first:end]

    def _bytes(self, kind: Bytes) -> bytes:
        length = self._number(kind.length)
        self._align(8)
        first = self._take(length * 8) // 8
        content = self._data[first : first + length]
        for role in kind.roles:
            self.roles[role] = content
        return content

    def _variable(self, kind: Variable) -> int:
        self._align(8)
        value, n_bits = 0, 0
        while True:
            byte = self._data[self._take(8) // 8]
            value |= (byte & 127) << n_bits
            n_bits += 7
            if byte < 128:
                break
            if n_bits >= _MAX_VARIABLE * 7:
                raise self._invalid("an integer of more than 64 bits")
        if kind.is_signed and value >> (n_bits - 1):
            value -= 1 << n_bits
        for role in kind.roles:
            self.roles[role] = value
        return value

    def _chosen(self, kind: Variant | Optional) -> Any:
        value, selector = self._located(kind.selector)
        if isinstance(kind, Optional):
            is_there = bool(value) if kind.ranges is None else _within(value, kind.ranges)
            return self._value(kind.kind) if is_there else None
        option = choose(kind, value, getattr(selector, "labels", ()))
        if option is None:
            raise self._invalid(f"a variant without an option for {value!r}")
        return self._value(option)

    def _number(self, length: int | Location) -> int:
        if isinstance(length, int):
            return length
        value, _ = self._located(length)
        if not isinstance(value, int) or not 0 <= value <= MAX_LENGTH:
            raise self._invalid(f"a length of {value!r}")
        return value

    def _located(self, location: Location) -> tuple[Any, Type | None]:
        """The value and type of a field that was decoded before."""
        path = list(location.path)
        if location.origin is not None:
            places: list[Mapping[str, Any]] = [self.scopes.get(location.origin, self._root())]
        else:
            skipped = next((n for n, each in enumerate(path) if each is not None), len(path))
            path = path[skipped:]
            opened = self._open[: len(self._open) - skipped]
            places = [*reversed(opened), *reversed(self.scopes.values())]
        for place in places:
            value: Any = place
            kind: Type | None = None
            for name in path:
                if not isinstance(value, dict) or name not in value:
                    break
                kind = self._types.get((id(value), str(name)))
                value = value[name]
            else:
                return value, kind
        names = ".".join(map(str, path))
        raise self._invalid(f"a reference to a field {names!r} that is not there")

    def _root(self) -> Mapping[str, Any]:
        return self._open[0] if self._open else {}

    def _invalid(self, what: str) -> CorruptTrace:
        return CorruptTrace(f"an event or packet has {what}", offset=self.position // 8)


def unit(encoding: str) -> int:
    """The bytes of a null character."""
    return {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)


def terminator(data: bytes, first: int, end: int, width: int) -> int:
    """The offset of the null that ends a text; -1 if there is none."""
    found = data.find(bytes(width), first, end)
    while found >= 0 and (found - first) % width:
        found = data.find(bytes(width), found + 1, end)
    return found


def choose(kind: Variant, value: int, labels: Sequence[tuple[str, int, int]]) -> Type | None:
    """The type of the option that a selector's value stands for."""
    for option in kind.options:
        ranges = option_ranges(option.ranges, option.label, labels)
        if _within(value, ranges):
            return option.kind
    return None


def option_ranges(
    ranges: Sequence[tuple[int, int]] | None,
    label: str | None,
    labels: Sequence[tuple[str, int, int]],
) -> Sequence[tuple[int, int]]:
    """The values of a selector that stand for an option; labels may lack its underscore."""
    if ranges is not None:
        return ranges
    names = {label, (label or "").removeprefix("_")}
    return [(low, high) for name, low, high in labels if name in names]


def _within(value: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(low <= value <= high for low, high in ranges)
