"""Walks over protobuf fields without decoding them, so that large messages are read in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from warehouse.errors import CorruptTrace

_LENGTH_DELIMITED = 2
_FIXED_BYTES = {1: 8, 5: 4}  # wire type -> size
_LONGEST_VARINT = 10


class Field(NamedTuple):
    """A field of a message: its number, wire type and place; its content begins at `value`."""

    number: int
    wire_type: int
    start: int
    value: int
    end: int


def fields(data: memoryview, start: int, end: int) -> Iterator[Field]:
    """Yields the fields of the message between two offsets.

    Raises CorruptTrace, with the offset, where a field exceeds the message or is none.
    """
    at = start
    while at < end:
        tag, value = varint(data, at, end)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == _LENGTH_DELIMITED:
            size, value = varint(data, value, end)
            after = value + size
        elif wire_type == 0:
            after = varint(data, value, end)[1]
        elif wire_type in _FIXED_BYTES:
            after = value + _FIXED_BYTES[wire_type]
        else:
            raise corrupt(at, f"wire type {wire_type} of field {number} is not known")
        if after > end:
            raise corrupt(
                at, f"field {number} has {after - value:,} bytes, {end - value:,} are left"
            )
        yield Field(number, wire_type, at, value, after)
        at = after


def pieces(data: memoryview, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Cuts a message between fields into messages of about `size` bytes; merged they equal it."""
    if end - start <= size:
        yield start, end
        return
    begin = start
    for field in fields(data, start, end):
        if field.end - begin >= size:
            yield begin, field.end
            begin = field.end
    if begin < end:
        yield begin, end


def varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """The number at an offset, and where it ends. Raises CorruptTrace if there is none."""
    number = shift = 0
    for place in range(at, min(at + _LONGEST_VARINT, end)):
        byte = data[place]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place + 1
        shift += 7
    cut = end - at < _LONGEST_VARINT
    raise corrupt(at, "it ends inside a number" if cut else "expected a varint")


def corrupt(offset: int, why: str) -> CorruptTrace:
    """The error for what is wrong at an offset."""
    return CorruptTrace(
        f"invalid protobuf: {why}, at byte {offset:,}",
        hint="The file is damaged or truncated. Copy or record it again.",
        offset=offset,
    )
