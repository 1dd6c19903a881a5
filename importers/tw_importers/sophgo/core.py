"""One file of a capture: the blocks of a core, or of a CDMA port, as columns."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tw_importers.sophgo import blocks, commands, order, records
from tw_importers.sophgo.blocks import Block
from tw_importers.sophgo.decode import Chip
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.records import Ints, Monitor

ENGINES = ("TIU", "GDMA", "SDMA")
_MONITORS = {
    blocks.MONITOR_TIU: "TIU", blocks.MONITOR_GDMA: "GDMA", blocks.MONITOR_SDMA: "SDMA",
}  # fmt: skip
_DES = {blocks.DES_TIU: "TIU", blocks.DES_GDMA: "GDMA", blocks.DES_SDMA: "SDMA"}
_EXTRA, _KV = struct.Struct("<III"), struct.Struct("<III")
_Key = tuple[int, int]


@dataclass
class Core:
    """The content of the file of a core."""

    file: str
    core: int
    monitors: dict[str, Monitor]
    stream: commands.Stream = field(default_factory=commands.Stream)
    #: Register images: blocks of DES_* by engine, payloads of DES_KV by key and count.
    des: dict[str, list[memoryview]] = field(default_factory=dict)
    kv: dict[_Key, memoryview] = field(default_factory=dict)
    extra: memoryview = field(default_factory=lambda: memoryview(b""))
    extra_begin: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    extra_end: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    n_read: int = 0  # records, before any was dropped
    n_ignored: int = 0  # blocks that are not part of the timeline
    repairs: order.Repairs = field(default_factory=order.Repairs)
    has_words: bool = False


@dataclass
class Port:
    """The content of the file of a CDMA port."""

    file: str
    port: int
    monitor: Monitor
    n_read: int = 0
    repairs: order.Repairs = field(default_factory=order.Repairs)


def read_core(
    data: bytes, file: str, core: int, chip: Chip, scopes: commands.Scopes, defects: Defects
) -> Core:
    """Reads the file of a core; its records are in order and in cycles."""
    found = blocks.split(data, file, defects)
    read = Core(file, core, {engine: records.empty(chip, engine) for engine in ENGINES})
    seen: set[int] = set()
    for block in found:
        if block.type in _MONITORS:
            if block.type in seen:
                defects.warn("second_monitor", file, block.offset, f"another {block.name} block, "
                             "skipped")  # fmt: skip
                continue
            seen.add(block.type)
            _read_monitor(read, block, chip, defects)
        elif block.type in _DES:
            read.des.setdefault(_DES[block.type], []).append(block.payload)
        elif block.type == blocks.DES_KV:
            _read_kv(read, block, defects)
        elif block.type not in (blocks.DYN_DATA, blocks.DYN_EXTRA):
            read.n_ignored += 1
    _read_extra(read, [b for b in found if b.type == blocks.DYN_EXTRA], defects)
    # Commands last: they take their images from the blocks before and behind them.
    for block in (b for b in found if b.type == blocks.DYN_DATA):
        read.has_words = True
        has_extra = len(read.extra_begin) > 0
        commands.read(block, chip, scopes, read.stream, has_extra, file, defects)
    for engine in ("GDMA", "SDMA"):
        order.near(read.monitors[engine], read.monitors["TIU"])
    return read


def read_port(data: bytes, file: str, port: int, chip: Chip, defects: Defects) -> Port:
    """Reads the file of a CDMA port; its records are in order and in cycles."""
    read = Port(file, port, records.empty(chip, "CDMA"))
    for block in blocks.split(data, file, defects):
        if block.type == blocks.MONITOR_CDMA and read.n_read:
            defects.warn(
                "second_monitor", file, block.offset, f"another {block.name} block, skipped"
            )
        elif block.type == blocks.MONITOR_CDMA:
            monitor = records.read(block, chip, "CDMA", file, defects)
            read.n_read = len(monitor)
            read.monitor = order.repair_cdma(monitor, read.repairs)
    return read


def _read_monitor(read: Core, block: Block, chip: Chip, defects: Defects) -> None:
    engine = _MONITORS[block.type]
    monitor = records.read(block, chip, engine, read.file, defects)
    read.n_read += len(monitor)
    read.monitors[engine] = order.repair(monitor, read.repairs)


def _read_kv(read: Core, block: Block, defects: Defects) -> None:
    if len(block.payload) < _KV.size:
        what = f"block DES_KV has {len(block.payload)} bytes, too few for its key"
        defects.refuse("cut_block", read.file, block.offset, what)
        return
    key, count, _ = _KV.unpack_from(block.payload)
    read.kv[key, count] = block.payload[_KV.size :]


def _read_extra(read: Core, found: Iterable[Block], defects: Defects) -> None:
    """Begin and end of each detailed command; the loop is over commands, whose lengths differ."""
    begins: list[int] = []
    ends: list[int] = []
    whole: list[memoryview] = []
    n_before = 0
    for block in found:
        at, size = 0, len(block.payload)
        while at < size:
            if size - at < _EXTRA.size:
                defects.warn("cut_extra", read.file, block.offset + at, "a detailed command ends "
                             "inside its header; skipped")  # fmt: skip
                break
            _, _, length = _EXTRA.unpack_from(block.payload, at)
            begin = at + _EXTRA.size
            if begin + length > size:
                what = (
                    f"a detailed command declares {length:,} bytes, and {size - begin:,} are left"
                )
                defects.warn("cut_extra", read.file, block.offset + at, what)
                break
            begins.append(n_before + begin)
            ends.append(n_before + begin + length)
            at = begin + length
        whole.append(block.payload)
        n_before += size
    if len(whole) == 1:
        read.extra = whole[0]
    elif whole:
        read.extra = memoryview(b"".join(whole))
    read.extra_begin, read.extra_end = np.array(begins, np.int64), np.array(ends, np.int64)
