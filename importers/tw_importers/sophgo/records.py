"""Records of the performance monitors as columns: fixed sizes, read all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tw_importers.sophgo.blocks import Block
from tw_importers.sophgo.decode import Chip
from tw_importers.sophgo.defects import Defects

Ints = NDArray[np.int64]
Words = np.ndarray[Any, np.dtype[np.uint32]]


@dataclass(frozen=True)
class Layout:
    """A kind of record: its size in words, where its id is, and the bits of it."""

    name: str  # tiu, tiu_bm1688, dma, dma_bm1688 or cdma
    n_words: int
    id_bits: int
    id_word: int = 2


_TIU = Layout("tiu", 4, 32)
_DMA = Layout("dma", 16, 32)
_CDMA = Layout("cdma", 32, 24)
_TIU_BM1688 = Layout("tiu_bm1688", 8, 16)
_DMA_BM1688 = Layout("dma_bm1688", 64, 20)


def layout(chip: Chip, engine: str) -> Layout:
    """The layout of the records of an engine: TIU, GDMA, SDMA or CDMA."""
    is_bm1688 = chip.constant("dma_record_bytes") == 256
    if engine == "TIU":
        return _TIU_BM1688 if is_bm1688 else _TIU
    if engine == "CDMA":
        return _CDMA
    return _DMA_BM1688 if is_bm1688 else _DMA


@dataclass
class Monitor:
    """The records of one engine, in the order of its stream; all columns are equally long.

    `start` and `end` are cycles at first and nanoseconds after `to_ns`; `cycles` is what the
    counter measured, both ends included. `words` are the raw records.
    """

    engine: str
    layout: Layout
    words: Words
    record_n: Ints  # place in the dump
    start: Ints
    end: Ints
    id: Ints
    cycles: Ints

    def __len__(self) -> int:
        return len(self.id)

    def take(self, which: Any) -> Monitor:
        """The records at these positions, or of a mask or slice."""
        return Monitor(
            self.engine, self.layout, self.words[which], self.record_n[which], self.start[which],
            self.end[which], self.id[which], self.cycles[which],
        )  # fmt: skip

    def to_ns(self, hz: int) -> None:
        """From cycles to nanoseconds."""
        self.cycles = self.end - self.start + 1
        self.start, self.end = nanoseconds(self.start, hz), nanoseconds(self.end, hz)


def nanoseconds(cycles: Ints, hz: int) -> Ints:
    """Cycles of a clock in whole nanoseconds, halves to even; exact for any 63-bit count."""
    if hz == 1_000_000_000:
        return cycles.copy()
    seconds, rest = np.divmod(cycles, hz)
    whole, part = np.divmod(rest * 1_000_000_000, hz)
    is_up = (2 * part > hz) | ((2 * part == hz) & (whole % 2 == 1))
    return np.asarray(seconds * 1_000_000_000 + whole + is_up, np.int64)


def empty(chip: Chip, engine: str) -> Monitor:
    """An engine without records."""
    of_engine = layout(chip, engine)
    return _monitor(engine, of_engine, np.empty((0, of_engine.n_words), np.uint32))


def read(block: Block, chip: Chip, engine: str, file: str, defects: Defects) -> Monitor:
    """The records of a block; a partial record at its end is skipped."""
    of_engine = layout(chip, engine)
    size = 4 * of_engine.n_words
    n_records, rest = divmod(len(block.payload), size)
    if rest:
        at = block.offset + n_records * size
        what = f"a {engine} record of {size} bytes has only {rest}; skipped"
        defects.warn("cut_record", file, at, what)
    words = np.frombuffer(block.payload, "<u4", n_records * of_engine.n_words)
    return _monitor(engine, of_engine, _without_zeros(words.reshape(n_records, of_engine.n_words)))


def _without_zeros(words: Words) -> Words:
    """The writer stops at a record of zeros; what a longer dump has behind it are zeros, too."""
    if not len(words) or words[-1].any():
        return words
    filled = np.flatnonzero(words.any(axis=1))
    return words[: filled[-1] + 1 if len(filled) else 0]


def _monitor(engine: str, of_engine: Layout, words: Words) -> Monitor:
    mask = (1 << of_engine.id_bits) - 1
    start, end = words[:, 0].astype(np.int64), words[:, 1].astype(np.int64)
    ids = words[:, of_engine.id_word].astype(np.int64) & mask
    places = np.arange(len(words))
    return Monitor(engine, of_engine, words, places, start, end, ids, end - start + 1)
