"""Files of Sophgo captures: the recorded ones, taking them apart, and writing small ones."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator
from typing import Any

from tests.support.sharing import slow

MONITOR_TIU, MONITOR_GDMA, DYN_DATA = 3, 4, 5
DYN_EXTRA, DES_BDC, DES_GDMA, DES_KV = 6, 13, 14, 17

#: Cases that can be imported, of `bigtpu` in the data folder.
VALID = [
    "aks_bmodel", "aks_bmodel_layers", "aks_deskv", "aks_m0_1core", "aks_m0_8core_cdma",
    "aks_m0_idwrap", "aks_m0_ring", "aks_m1_1core", "aks_m1_8core_cdma", "aks_m1_lost",
    "aks_m1_nowrap_ref", "aks_m1_timewrap", "aks_m1_timewrap2", "aks_m2_8core", "aksv_m1_4core",
    "aksv_m1_rvt", "aksv_m2_4core_cdma", "bm1688_m1_2core",
]  # fmt: skip
#: One of each kind.
FEW = (
    "aks_bmodel", "aks_bmodel_layers", "aks_m0_8core_cdma", "aks_m1_nowrap_ref", "aks_m1_timewrap",
    "aks_m2_8core", "aksv_m1_rvt", "aksv_m2_4core_cdma", "bm1688_m1_2core",
)  # fmt: skip


def cases(*, without: Container[str] = ()) -> list[Any]:
    """The valid ones as parameters of a test, but for some."""
    return [case if case in FEW else slow(case) for case in VALID if case not in without]


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


def block(kind: int, *parts: bytes) -> bytes:
    """A block of a file."""
    payload = b"".join(parts)
    return struct.pack("<II", kind, len(payload)) + payload


def tiu_record(start: int, end: int, number: int, conflicts: int = 0) -> bytes:
    """A TIU record of 16 bytes."""
    return struct.pack("<4I", start, end, number, conflicts << 1)


def dma_record(start: int, end: int, number: int, lmem_bytes: int = 0) -> bytes:
    """A GDMA record of 64 bytes that wrote to local memory, 128 bytes at a time."""
    beats = lmem_bytes // 128
    return struct.pack("<16I", start, end, number, *[0] * 7, lmem_bytes, 0, 0, beats, 0, beats)


def node(engine: int, kind: int, function: int, info: int = 0, record: int = 1) -> bytes:
    """A command word; record 13 is one of RVT."""
    return struct.pack("<I", record | engine << 7 | kind << 10 | function << 15 | info << 20)


def name(text: str) -> bytes:
    """The words that open the scope of a kernel."""
    letters = text.encode()
    return struct.pack("<I", len(letters) << 7) + letters + b"\0" * (-len(letters) % 4)
