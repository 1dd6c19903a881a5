"""Decodes the same fields of many events at once, from the positions where the events begin.

Positions are columns of bit offsets. Fields of fixed length are read at an offset from the last
position that is not fixed, so that plain structures cost one gather a field. Texts are one Arrow
array over the packets, whose offsets are the begins and ends of all texts, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tw_importers.ctf.columns import Choices, Column, Ints, Lists, Members, Scalars
from tw_importers.ctf.scalar import option_ranges, terminator, unit
from tw_importers.ctf.tree import (
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
    size,
)
from warehouse.errors import CorruptTrace

PADDING = 16  # bytes behind the data, which wide reads may touch
#: Gets an origin and the name of a member; returns its value for each event.
PacketField = Callable[[str | None, str], NDArray[Any] | None]
_Map = Ints  # rows of the level around, for each row


@dataclass
class Cursor:
    """Where the next field of each event is: `base` plus `offset`, in bits."""

    base: Ints
    align: int = 8  # of all values of base
    offset: int = 0

    def to(self, align: int) -> None:
        if align <= self.align:
            self.offset = -(-self.offset // align) * align
        else:
            self.base = -(-(self.base + self.offset) // align) * align
            self.offset, self.align = 0, align

    def set(self, base: Ints) -> None:
        self.base, self.offset = base, 0
        self.align = 8 if not len(base) or not (base & 7).any() else 1

    @property
    def is_on_bytes(self) -> bool:
        return self.align >= 8 and self.offset % 8 == 0

    def bits(self) -> Ints:
        return self.base + self.offset

    def bytes(self) -> Ints:
        return (self.base >> 3) + (self.offset >> 3)


@dataclass
class _Frame:
    """Fields of an open or finished structure, on the level of its rows."""

    level: int
    fields: dict[str, tuple[Column, Type]] = field(default_factory=dict)


@dataclass
class Found:
    """Values of the fields with a role, in the order they were read; `rows` None: all rows."""

    rows: Ints | None
    values: NDArray[Any]
    kind: Integer | Variable


class Data:
    """The bytes of some packets, in one piece; `content` ends in PADDING further bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.bytes = np.frombuffer(content, np.uint8)
        self._nulls: NDArray[np.int32] | None = None
        self._views: dict[str, NDArray[Any]] = {}

    def view(self, dtype: str) -> NDArray[Any]:
        """A number at every byte offset."""
        found = self._views.get(dtype)
        if found is None:
            width = np.dtype(dtype).itemsize
            n = len(self.content) - width + 1
            found = np.ndarray((n,), dtype, self.content, strides=(1,))
            self._views[dtype] = found
        return found

    def next_null(self, first: Ints) -> Ints:
        """The offset of the first null at or after each of some offsets."""
        if self._nulls is None:
            self._nulls = np.flatnonzero(self.bytes == 0).astype(np.int32)
        # Offsets ascend, mostly: each search begins where the one before ended.
        return self._nulls[np.searchsorted(self._nulls, first.astype(np.int32))].astype(np.int64)


class Gather:
    """Decodes structures one after the other, for events that begin at the same structure."""

    def __init__(self, data: Data, starts: Ints, packet_field: PacketField) -> None:
        """`starts` are bits; `packet_field` returns a field of the packets of all events."""
        self.cursor = Cursor(np.empty(0, np.int64))
        self.cursor.set(starts)
        self._packet_field = packet_field
        self.roles: dict[str, list[Found]] = {}
        self._data = data
        self._maps: list[_Map] = []
        self._scopes: dict[str, _Frame] = {}
        self._open: list[_Frame] = []

    def scope(self, origin: str, kind: Struct) -> Members:
        """Decodes a structure that later fields may refer to."""
        column, frame = self._struct(kind, self.cursor)
        self._scopes[origin] = frame
        return column

    def subset(self, rows: Ints) -> Gather:
        """A decoder that continues with some of the rows."""
        other = Gather(self._data, np.empty(0, np.int64), self._packet_field)
        other.cursor = Cursor(self.cursor.base[rows], self.cursor.align, self.cursor.offset)
        other._maps = [rows]
        other._scopes = dict(self._scopes)
        return other

    def _value(self, kind: Type, cursor: Cursor) -> Column:
        if isinstance(kind, Integer):
            return self._integer(kind, cursor)
        if isinstance(kind, Struct):
            return self._struct(kind, cursor)[0]
        if isinstance(kind, String):
            return self._string(kind, cursor)
        if isinstance(kind, Bytes):
            return self._bytes(kind, cursor)
        if isinstance(kind, Array):
            return self._array(kind, cursor)
        if isinstance(kind, Float):
            return self._float(kind, cursor)
        if isinstance(kind, Variable):
            return self._variable(kind, cursor)
        return self._chosen(kind, cursor)

    def _struct(self, kind: Struct, cursor: Cursor) -> tuple[Members, _Frame]:
        cursor.to(alignment(kind))
        frame = _Frame(len(self._maps))
        self._open.append(frame)
        try:
            columns = []
            for name, member in kind.members:
                column = self._value(member, cursor)
                frame.fields[name] = (column, member)
                columns.append(column)
        finally:
            self._open.pop()
        names = [name for name, _ in kind.members]
        return Members(len(cursor.base), names, columns), frame

    def _integer(self, kind: Integer, cursor: Cursor) -> Scalars:
        cursor.to(kind.align)
        if cursor.is_on_bytes and kind.size in (8, 16, 32, 64):
            order = ">" if kind.is_big else "<"
            dtype = f"{order}{'i' if kind.is_signed else 'u'}{kind.size // 8}"
            values = self._data.view(dtype)[cursor.bytes()]
            values = values.astype(values.dtype.newbyteorder("="), copy=False)
        else:
            values = self._bits(kind.size, kind.is_big, cursor)
            if kind.is_signed:
                shift = np.uint64(64 - kind.size)
                values = (values << shift).view(np.int64) >> np.int64(64 - kind.size)
        cursor.offset += kind.size
        self._record(kind, values)
        return Scalars(values, kind.labels, kind.is_boolean, kind.flags)

    def _bits(self, n_bits: int, is_big: bool, cursor: Cursor) -> NDArray[np.uint64]:
        """Numbers that begin or end inside of a byte, or have an odd number of bytes."""
        position = cursor.bits()
        first, shift = position >> 3, (position & 7).astype(np.uint64)
        whole = self._data.view(">u8" if is_big else "<u8")[first].astype(np.uint64)
        following = self._data.bytes[first + 8].astype(np.uint64)
        is_wide = shift > 0
        if is_big:
            back = np.where(is_wide, np.uint64(8) - shift, np.uint64(0))
            whole = (whole << shift) | np.where(is_wide, following >> back, np.uint64(0))
            return np.asarray(whole >> np.uint64(64 - n_bits), np.uint64)
        forth = np.where(is_wide, np.uint64(64) - shift, np.uint64(0))
        whole = (whole >> shift) | np.where(is_wide, following << forth, np.uint64(0))
        return np.asarray(whole & np.uint64((1 << n_bits) - 1), np.uint64)

    def _float(self, kind: Float, cursor: Cursor) -> Scalars:
        cursor.to(kind.align)
        width = kind.size // 8
        if cursor.is_on_bytes:
            values = self._data.view(f"{'>' if kind.is_big else '<'}f{width}")[cursor.bytes()]
            values = values.astype(f"f{width}", copy=False)
        else:
            bits = self._bits(kind.size, kind.is_big, cursor)
            values = bits.astype(f"u{width}").view(f"f{width}")
        cursor.offset += kind.size
        return Scalars(values)

    def _string(self, kind: String, cursor: Cursor) -> Scalars:
        cursor.to(8)
        first, width = cursor.bytes(), unit(kind.encoding)
        if width == 1:
            end = self._data.next_null(first)
        else:  # one by one: rare, and a null of several bytes must be at a multiple of them
            content, last = self._data.content, len(self._data.content)
            ends = [terminator(content, n, last, width) for n in first.tolist()]
            end = np.array(ends, np.int64)
        cursor.base, cursor.offset, cursor.align = (end + width) << 3, 0, 8
        return Scalars(self._texts(first, end, kind.encoding))

    def _bytes(self, kind: Bytes, cursor: Cursor) -> Scalars:
        lengths = self._lengths(kind.length, len(cursor.base))
        cursor.to(8)
        first = cursor.bytes()
        end = first + lengths
        if isinstance(kind.length, int):
            cursor.offset += kind.length * 8
        else:
            cursor.base, cursor.offset, cursor.align = end << 3, 0, 8
        if not kind.is_text:
            content = self._data.content
            texts = [content[a:b].hex() for a, b in zip(first.tolist(), end.tolist(), strict=True)]
            return Scalars(pa.array(texts, pa.string()).dictionary_encode())
        if unit(kind.encoding) == 1 and len(end):
            end = np.minimum(end, self._data.next_null(first))
        return Scalars(self._texts(first, end, kind.encoding))

    def _texts(self, first: Ints, end: Ints, encoding: str) -> Any:
        n = len(first)
        if not n:
            return pa.array([], pa.string()).dictionary_encode()
        offsets = np.empty(2 * n, np.int32)
        offsets[0::2], offsets[1::2] = first, end
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self._data.content)]
        every = pa.Array.from_buffers(pa.binary(), 2 * n - 1, buffers)
        found = every.take(pa.array(np.arange(0, 2 * n, 2))).dictionary_encode()
        return pa.DictionaryArray.from_arrays(found.indices, _decoded(found.dictionary, encoding))

    def _variable(self, kind: Variable, cursor: Cursor) -> Scalars:
        cursor.to(8)
        position = cursor.bytes()
        values = np.zeros(len(position), np.uint64)
        n_bits = np.zeros(len(position), np.uint64)
        rows = np.arange(len(position))
        for shift in range(0, 70, 7):
            byte = self._data.bytes[position[rows]].astype(np.uint64)
            values[rows] |= (byte & np.uint64(127)) << np.uint64(shift)
            position[rows] += 1
            n_bits[rows] = shift + 7
            rows = rows[byte >= 128]
            if not len(rows):
                break
        if kind.is_signed:
            sign = np.uint64(64) - np.minimum(n_bits, np.uint64(64))
            values = (values << sign).view(np.int64) >> sign.view(np.int64)  # type: ignore[assignment]
        cursor.base, cursor.offset, cursor.align = position << 3, 0, 8
        self._record(kind, values)
        return Scalars(values, kind.labels)

    def _array(self, kind: Array, cursor: Cursor) -> Lists:
        lengths = self._lengths(kind.length, len(cursor.base))
        cursor.to(alignment(kind))
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        each = size(kind.element)
        if each is None:
            return self._irregular(kind.element, cursor, lengths, offsets)
        align = alignment(kind.element)
        stride = -(-each // align) * align
        start = cursor.bits()
        row = np.repeat(np.arange(len(lengths)), lengths)
        number = np.arange(offsets[-1]) - offsets[:-1][row]
        inside = Cursor(start[row] + number * stride, 1)
        if cursor.is_on_bytes and stride % 8 == 0:
            inside.align = 8
        with self._level(row):
            elements = self._value(kind.element, inside)
        used = np.where(lengths > 0, (lengths - 1) * stride + each, 0)
        if isinstance(kind.length, int):
            cursor.offset += int(used[0]) if len(used) else 0
        else:
            cursor.set(start + used)
        return Lists(offsets, elements)

    def _irregular(self, kind: Type, cursor: Cursor, lengths: Ints, offsets: Ints) -> Lists:
        """Elements of different lengths: the first of all rows, then the second of all, ..."""
        position = cursor.bits()
        parts: list[tuple[Ints, Column]] = []
        for number in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > number)
            inside = Cursor(np.empty(0, np.int64))
            inside.set(position[rows])
            with self._level(rows):
                column = self._value(kind, inside)
            position[rows] = inside.bits()
            parts.append((offsets[:-1][rows] + number, column))
        cursor.set(position)
        return Lists(offsets, Choices(int(offsets[-1]), parts))

    def _chosen(self, kind: Variant | Optional, cursor: Cursor) -> Choices:
        values, selector = self._located(kind.selector)
        position = cursor.bits()
        parts: list[tuple[Ints, Column]] = []
        for ranges, option in _options(kind, selector):
            rows = np.flatnonzero(_within(values, ranges))
            if not len(rows):
                continue
            inside = Cursor(position[rows], cursor.align if cursor.is_on_bytes else 1)
            with self._level(rows):
                parts.append((rows, self._value(option, inside)))
            position[rows] = inside.bits()
        cursor.set(position)
        return Choices(len(position), parts)

    @contextmanager
    def _level(self, rows: Ints) -> Iterator[None]:
        self._maps.append(rows)
        try:
            yield
        finally:
            self._maps.pop()

    def _record(self, kind: Integer | Variable, values: NDArray[Any]) -> None:
        for role in kind.roles:
            rows = None
            for each in self._maps:
                rows = each if rows is None else rows[each]
            self.roles.setdefault(role, []).append(Found(rows, values, kind))

    def _lengths(self, length: int | Location, n: int) -> Ints:
        if isinstance(length, int):
            return np.full(n, length, np.int64)
        found = self._located(length)[0]
        most = len(self._data.content) * 8  # elements of one bit
        is_inside = not len(found) or 0 <= int(found.min()) <= int(found.max()) <= most
        if not is_inside or int(found.sum()) > most:
            raise CorruptTrace("an event has a sequence that is longer than its packet")
        return found.astype(np.int64)

    def _located(self, location: Location) -> tuple[NDArray[Any], Type]:
        """The values of a field that was decoded before, for the rows of this level."""
        path = list(location.path)
        if location.origin is not None:
            root = self._open[0] if self._open else None
            frames = [self._scopes.get(location.origin, root)]
        else:
            skipped = next((n for n, each in enumerate(path) if each is not None), len(path))
            path = path[skipped:]
            opened = self._open[: len(self._open) - skipped]
            frames = [*reversed(opened), *reversed(self._scopes.values())]
        for frame in frames:
            found = _inside(frame.fields, path) if frame is not None else None
            if frame is not None and found is not None:
                values = found[0].values
                for rows in self._maps[frame.level :]:
                    values = values[rows]
                return values, found[1]
        of_packet = self._packet_field(location.origin, str(path[-1]))
        if of_packet is not None:
            for rows in self._maps:
                of_packet = of_packet[rows]
            return of_packet, Integer(64, 8)
        raise CorruptTrace(f"the metadata refers to a field {path!r} that is not there")


def _inside(
    fields: dict[str, tuple[Column, Type]], path: list[str | None]
) -> tuple[Scalars, Type] | None:
    found = fields.get(str(path[0])) if path else None
    for name in path[1:]:
        if found is None or not isinstance(found[0], Members) or not isinstance(found[1], Struct):
            return None
        column, kind = found[0].member(str(name)), found[1].member(str(name))
        found = None if column is None or kind is None else (column, kind)
    is_number = found is not None and isinstance(found[1], Integer | Variable)
    if found is None or not is_number or not isinstance(found[0], Scalars):
        return None
    return found[0], found[1]


def _options(kind: Variant | Optional, selector: Type) -> Iterator[tuple[Any, Type]]:
    if isinstance(kind, Optional):
        yield kind.ranges, kind.kind
        return
    labels = getattr(selector, "labels", ())
    for option in kind.options:
        yield option_ranges(option.ranges, option.label, labels), option.kind


def _within(values: NDArray[Any], ranges: Any) -> NDArray[np.bool_]:
    if ranges is None:
        return np.asarray(values != 0)
    found = np.zeros(len(values), bool)
    limits = np.iinfo(values.dtype)
    for low, high in ranges:
        if low <= limits.max and high >= limits.min:
            found |= (values >= max(low, limits.min)) & (values <= min(high, limits.max))
    return found


def _decoded(values: Any, encoding: str) -> Any:
    """Distinct texts as strings; invalid text is replaced."""
    if encoding == "utf-8":
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            pass
    texts = [each.decode(encoding, errors="replace") for each in values.to_pylist()]
    if unit(encoding) > 1:
        texts = [text.split("\0", 1)[0] for text in texts]
    return pa.array(texts, pa.string())
