"""Where things stand in a file of a Sophgo capture, for tests: its blocks and what is in them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

DYN_EXTRA, DES_BDC, DES_GDMA, DES_KV = 6, 13, 14, 17


def blocks(buffer: bytes) -> Iterator[tuple[int, int, int]]:
    """(type, begin, end) of every block's payload, in bytes."""
    at = 0
    while at < len(buffer):
        kind, length = struct.unpack_from("<II", buffer, at)
        yield kind, at + 8, at + 8 + length
        at += 8 + length


def extras(buffer: bytes, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """(begin, end) of every image in a block of detailed commands."""
    while begin < end:
        length = struct.unpack_from("<III", buffer, begin)[2]
        yield begin + 12, begin + 12 + length
        begin += 12 + length


def key_values(buffer: bytes, begin: int) -> tuple[int, int]:
    """(begin, end) of the images in a block of a descriptor's commands."""
    at = next(b for b in blocks(buffer) if b[1] == begin)
    return begin + 12, at[2]
