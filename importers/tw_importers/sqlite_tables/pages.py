"""The pages of a SQLite file: where the rows of a table are, without their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from warehouse.errors import CorruptTrace

MAGIC = b"SQLite format 3\0"
Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
_INTERIOR, _LEAF = 5, 13  # pages of tables
_FILE_HEADER = 100
_ENCODINGS = {0: "utf-8", 1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}


@dataclass
class Damage:
    """The damage of the file by kind: count and first offset."""

    is_strict: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, offset: int, count: int = 1) -> None:
        """Counts it; raises CorruptTrace where nothing may be broken."""
        if self.is_strict:
            raise CorruptTrace(
                f"the SQLite file is damaged ({kind.replace('_', ' ')}) at byte {offset}",
                hint="Export it again.",
                offset=offset,
            )
        self.counts[kind] = self.counts.get(kind, 0) + count
        self.first.setdefault(kind, offset)


class Pages:
    """The file as bytes, and the b-trees in it. Every page is used once; more is damage."""

    def __init__(self, data: Bytes, damage: Damage) -> None:
        """Raises CorruptTrace if the header is not that of SQLite 3."""
        self.data, self.damage = data, damage
        head = data[:_FILE_HEADER].tobytes()
        self.size = int.from_bytes(head[16:18], "big")
        self.size = 65536 if self.size == 1 else self.size
        self.usable = self.size - (head[20] if len(head) == _FILE_HEADER else 0)
        is_power = self.size >= 512 and self.size & (self.size - 1) == 0
        if not head.startswith(MAGIC) or not is_power or self.usable < 480:
            raise CorruptTrace("not a SQLite 3 database", offset=0)
        self.n_pages = len(data) // self.size
        if self.n_pages == 0:
            raise CorruptTrace(
                "truncated: the SQLite file ends inside its first page", offset=len(data)
            )
        self.encoding = _ENCODINGS.get(int.from_bytes(head[56:60], "big"), "utf-8")
        self._used = np.zeros(self.n_pages + 1, dtype=bool)
        self._check_length(head)

    def _check_length(self, head: bytes) -> None:
        """Whether pages are missing at the end, as in a file that was not copied to its end."""
        n_declared = int.from_bytes(head[28:32], "big")
        if head[24:28] == head[92:96] and n_declared > self.n_pages:
            self.damage.add("truncated", len(self.data), n_declared - self.n_pages)

    def leaves(self, root: int) -> Numbers:
        """The pages of the table's rows, in the order of its keys."""
        found = list(self._below(np.array([root], dtype=np.int64), 0))
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _below(self, pages: Numbers, depth: int) -> Iterator[Numbers]:
        """Rows' pages at or below these; a loop over inner pages, of which there are few."""
        claimed = self._claim(pages)
        kinds = self.data[self._header(claimed)]
        if (kinds == _LEAF).all():
            yield claimed
            return
        for page, kind in zip(claimed.tolist(), kinds.tolist(), strict=True):
            if kind == _LEAF:
                yield np.array([page], dtype=np.int64)
            elif kind == _INTERIOR and depth < 20:
                yield from self._below(self._children(page), depth + 1)
            else:
                self.damage.add("damaged_page", (page - 1) * self.size)

    def _claim(self, pages: Numbers) -> Numbers:
        """Returns the pages that exist and were not used before, and marks them as used."""
        exists = (pages > 0) & (pages <= self.n_pages)
        first = np.zeros(len(pages), dtype=bool)
        first[np.unique(pages, return_index=True)[1]] = True
        good = exists & first
        good[exists] &= ~self._used[pages[exists]]
        if not good.all():
            where = int(pages[~good][0])
            self.damage.add("damaged_page", max(0, where - 1) * self.size, int((~good).sum()))
        self._used[pages[good]] = True
        return pages[good]

    def _header(self, pages: Numbers) -> Numbers:
        return np.where(pages == 1, _FILE_HEADER, (pages - 1) * self.size)

    def _children(self, page: int) -> Numbers:
        pages = np.array([page], dtype=np.int64)
        cells, _ = self._pointers(pages, 12)
        last = self._header(pages) + 8
        at = np.concatenate([cells, last])
        numbers = np.zeros(len(at), dtype=np.int64)
        for n in range(4):
            numbers = numbers << 8 | self.data.take(at + n, mode="clip")
        return numbers

    def cells(self, pages: Numbers) -> tuple[Numbers, Numbers]:
        """Offsets of the rows of leaf pages, and the page number of each."""
        return self._pointers(pages, 8)

    def _pointers(self, pages: Numbers, header_bytes: int) -> tuple[Numbers, Numbers]:
        """Offsets of the cells of pages; a page with a damaged cell table has none."""
        header = self._header(pages)
        start = (pages - 1) * self.size
        n_cells = self.data[header + 3].astype(np.int64) << 8 | self.data[header + 4]
        first = header + header_bytes
        bad = first + 2 * n_cells > start + self.usable
        if bad.any():
            self.damage.add("damaged_page", int(start[bad][0]), int(bad.sum()))
            n_cells[bad] = 0
        n_before = np.cumsum(n_cells) - n_cells
        at = np.repeat(first - 2 * n_before, n_cells)
        at += np.arange(0, 2 * len(at), 2)
        pointer = np.ndarray((len(self.data) - 1,), ">u2", self.data, strides=(1,))[at]
        cell = np.repeat(start, n_cells) + pointer
        good = (pointer < self.usable) & (cell >= np.repeat(first + 2 * n_cells, n_cells))
        page = np.repeat(pages, n_cells)
        if not good.all():
            self.damage.add("damaged_row", int(at[~good][0]), int((~good).sum()))
            cell, page = cell[good], page[good]
        return cell, page

    def overflow(self, page: int, n_bytes: int) -> bytes | None:
        """The part of a row in the overflow chain from a page on; None if the chain is broken."""
        parts: list[bytes] = []
        missing = n_bytes
        while missing > 0:
            if not 0 < page <= self.n_pages or self._used[page]:
                return None
            self._used[page] = True
            start = (page - 1) * self.size
            part = self.data[start + 4 : start + 4 + min(missing, self.usable - 4)].tobytes()
            parts.append(part)
            missing -= len(part)
            page = int.from_bytes(self.data[start : start + 4].tobytes(), "big")
        return b"".join(parts)
