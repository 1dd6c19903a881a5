"""The block container: (u32 type, u32 length, payload), again and again to the end of the file."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tw_importers.sophgo.defects import Defects

_HEADER = struct.Struct("<II")
MONITOR_TIU, MONITOR_GDMA, DYN_DATA, DYN_EXTRA, MONITOR_SDMA, MONITOR_CDMA = 3, 4, 5, 6, 11, 12
DES_TIU, DES_GDMA, DES_SDMA, DES_CDMA, DES_KV = 13, 14, 15, 16, 17
NAMES = {
    1: "SUMMARY", 2: "COMPILER_LOG", MONITOR_TIU: "MONITOR_BD", MONITOR_GDMA: "MONITOR_GDMA",
    DYN_DATA: "DYN_DATA", DYN_EXTRA: "DYN_EXTRA", 7: "FIRMWARE_LOG", 8: "COMMAND", 9: "BMLIB",
    10: "BMLIB_EXTRA", MONITOR_SDMA: "MONITOR_SDMA", MONITOR_CDMA: "MONITOR_CDMA",
    DES_TIU: "DES_BDC", DES_GDMA: "DES_GDMA", DES_SDMA: "DES_SDMA", DES_CDMA: "DES_CDMA",
    DES_KV: "DES_KV", 100: "DYN_SUBNET_ANCHOR",
}  # fmt: skip


@dataclass(frozen=True)
class Block:
    """One block; `offset` is where its payload begins in the file."""

    type: int
    offset: int
    payload: memoryview

    @property
    def name(self) -> str:
        return NAMES[self.type]


def split(data: bytes, file: str, defects: Defects) -> list[Block]:
    """The blocks of a file, without copying them.

    A file that ends within a block, or has a block of a type there is not, is refused with its
    offset; leniently, the whole blocks are kept, of the last one what there is.
    """
    view, blocks, at = memoryview(data), [], 0
    while at < len(data):
        if len(data) - at < _HEADER.size:
            n_left = len(data) - at
            defects.refuse("cut_block", file, at, f"truncated: the file ends after {n_left} "
                           "bytes of a block header")  # fmt: skip
            break
        kind, length = _HEADER.unpack_from(data, at)
        begin, end = at + _HEADER.size, at + _HEADER.size + length
        if kind not in NAMES:
            defects.refuse("unknown_block", file, at, f"unknown block type {kind}")
            at = end
            continue
        if end > len(data):
            what = f"the block {NAMES[kind]} declares {length:,} bytes, and {len(data) - begin:,}"
            defects.refuse("cut_block", file, at, f"{what} are left")
        blocks.append(Block(kind, begin, view[begin:end]))
        at = end
    return blocks
