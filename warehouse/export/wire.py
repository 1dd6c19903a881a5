"""Encodes columns in the Protocol Buffers wire format.

Implements https://protobuf.dev/programming-guides/encoding/ column-wise, because building message
objects would dominate an export of millions of slices: a column of numbers becomes a column of
bytes in a few passes. The output is canonical: the bytes the protobuf library writes for fields in
the order of their numbers.

A "column" is a pyarrow large_binary array; nulls are joined as empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Column = Any  # pyarrow.LargeBinaryArray; pyarrow ships no types
Words = NDArray[np.uint64]

_LOW_7 = np.uint8(0x7F)
_MORE = np.uint8(0x80)


def column(offsets: NDArray[np.int64], data: Any) -> Column:
    """Returns a column over existing memory: row i is data[offsets[i]:offsets[i + 1]]."""
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )


def literals(values: Sequence[bytes | None]) -> Column:
    """Returns a column of the given rows."""
    return pa.array(values, pa.large_binary())


def varint(value: int) -> bytes:
    """Encodes a number in 0 .. 2^64 - 1, or a negative int64 as two's complement, as a varint."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def varints(values: Words) -> Column:
    """Encodes numbers as varints: 7 bits a byte, low bits first, bit 7 set on all but the last."""
    n = len(values)
    if not n:
        return literals([])
    width = (int(values.max()).bit_length() + 6) // 7 or 1
    groups = np.empty((n, width), np.uint8)
    for k in range(width):
        groups[:, k] = (values >> np.uint64(7 * k)).astype(np.uint8) & _LOW_7
    if int(values.min()) >> 7 * (width - 1) or width == 1:  # all take as many bytes, as times do
        groups[:, :-1] |= _MORE
        return column(np.arange(0, (n + 1) * width, width, dtype=np.int64), groups)
    lengths, is_used = np.ones(n, np.int64), np.ones((n, width), bool)
    for k in range(1, width):
        goes_on = values >= np.uint64(1 << 7 * k)
        lengths += goes_on
        is_used[:, k] = goes_on
        groups[:, k - 1] |= goes_on.view(np.uint8) << np.uint8(7)
    return column(_offsets(lengths), groups[is_used])


def fixed64(values: NDArray[Any], tag: bytes = b"") -> Column:
    """Encodes numbers in 8 bytes, little-endian, after a tag; for uint64 and float64."""
    n, width = len(values), len(tag) + 8
    rows = np.empty((n, width), np.uint8)
    rows[:, : len(tag)] = np.frombuffer(tag, np.uint8)
    rows[:, len(tag) :] = values.astype(values.dtype.newbyteorder("<")).view(np.uint8).reshape(n, 8)
    return column(np.arange(0, (n + 1) * width, width, dtype=np.int64), rows)


def join(*parts: Column | bytes) -> Column:
    """Concatenates columns row by row; a bytes part is added to every row."""
    scalars = [pa.scalar(p, pa.large_binary()) if isinstance(p, bytes) else p for p in parts]
    end = pa.scalar(b"", pa.large_binary())
    return pc.binary_join_element_wise(*scalars, end, null_handling="replace", null_replacement=b"")


def lengths_of(values: Column) -> NDArray[np.int64]:
    """Returns the number of bytes per row; 0 for null."""
    lengths: NDArray[np.int64] = pc.fill_null(pc.binary_length(values), 0).to_numpy(
        zero_copy_only=False
    )
    return lengths


def length_prefixed(tag: bytes, values: Column) -> Column:
    """Encodes rows as length-delimited fields: tag, length, bytes."""
    return join(tag, varints(lengths_of(values).astype(np.uint64)), values)


def regroup(values: Column, boundaries: NDArray[np.int64]) -> Column:
    """Concatenates rows: row i of the result joins rows boundaries[i]:boundaries[i + 1]."""
    offsets, data = parts_of(values)
    return column(offsets[boundaries], data)


def parts_of(values: Column) -> tuple[NDArray[np.int64], Any]:
    """Returns (offsets, data) of a column without nulls."""
    _, offsets, data = values.buffers()
    all_offsets = np.frombuffer(offsets, np.int64)
    return all_offsets[values.offset : values.offset + len(values) + 1], data or b""


def contents(values: Column) -> memoryview:
    """Returns the concatenation of all rows, without copying."""
    if not len(values):
        return memoryview(b"")
    offsets, data = parts_of(values)
    return memoryview(data)[int(offsets[0]) : int(offsets[-1])]


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
