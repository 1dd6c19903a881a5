"""Writes the scratch table `event` with the compiled reader: the rows that stage.sql would return.

Blocks are cut and typed in one pass, while another thread writes Parquet. Events that are not plain
go through stage.sql, all those of a row group at once, and back to their places. Invalid blocks are
cut by the splitter in Python, which repairs them.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tw_importers.trace_event.kinds import ROW_SCHEMA, Kinds, by_kind
from tw_importers.trace_event.native import CLOSED, FULL, INVALID, SCHEMA, Rows, State
from tw_importers.trace_event.repair import LONG_EVENT
from tw_importers.trace_event.split import BLANK, Chunk, Splitter, decode
from warehouse.ahead import ahead

_GROUPS_AHEAD = 1  # each is as large as a row group of DuckDB
_ROW_GROUP = 20_480  # rows


@dataclass
class Places:
    """Events that are not plain, with the place of each among all events."""

    seq: list[int]
    chunk: Chunk


@dataclass
class Group:
    """Events that are written together: rows of the plain ones, and the others."""

    rows: Rows
    others: list[Places] = field(default_factory=list)

    @property
    def n_events(self) -> int:
        """The rows and the others together: events without a row take memory, too."""
        return len(self.rows) + sum(len(each.seq) for each in self.others)


@dataclass
class Collector:
    """Collects events, typed by the compiled reader, in groups of at most a row group."""

    state: State
    new_rows: Callable[[], Rows]  # returns empty rows, which are in use until their group is done
    full: list[Group] = field(default_factory=list)
    n_others: int = 0

    def __post_init__(self) -> None:
        self.last = Group(self.new_rows())

    def read(self, block: memoryview) -> tuple[int, int]:
        """Reads the whole events of a block; returns how it ended, and the bytes consumed."""
        n_consumed = 0
        while True:
            rest = block[n_consumed:]
            status = self.last.rows.read(self.state, rest)
            self._keep_others(rest)
            n_consumed += self.state.n_consumed
            if status == FULL or self.last.n_events >= self.last.rows.capacity:
                self.full.append(self.last)
                self.last = Group(self.new_rows())
            if status != FULL:
                return status, n_consumed

    def add(self, chunk: Chunk) -> None:
        """Adds events that were cut in Python, and perhaps repaired."""
        first = self.state.seq
        self.expect_event()
        self.read(memoryview(b",".join(chunk.texts)))
        self.expect_event()
        n_read, end = self.state.seq - first, first + len(chunk)
        if n_read < len(chunk):  # stricter than the parser in Python
            left = Chunk(chunk.texts[n_read:], chunk.events[n_read:])
            self._keep(Places([*range(self.state.seq, end)], left))
            self.state.seq = end

    def expect_event(self) -> None:
        """Makes the next block begin with an event, without the comma before it."""
        self.state.is_first, self.state.after_comma = 1, 0

    def take_full(self) -> list[Group]:
        """Returns and forgets the groups that are complete."""
        full, self.full = self.full, []
        return full

    def _keep_others(self, block: memoryview) -> None:
        if found := self.last.rows.others():
            texts = b",".join([block[start:end] for _, start, end in found])
            self._keep(Places([seq for seq, _, _ in found], decode(b"[%b]" % texts)))

    def _keep(self, others: Places) -> None:
        self.last.others.append(others)
        self.n_others += len(others.seq)


@dataclass
class TypingSplitter(Splitter[Sized]):
    """A splitter whose blocks go to a collector, once it has one.

    Then chunks have the number of events as their length, and are of no other use.
    """

    collector: Collector | None = None

    def _cut(self, buffer: bytearray) -> tuple[bool, Sized, bytes]:
        if self.collector is None:
            return super()._cut(buffer)
        first = self.collector.state.seq
        with memoryview(buffer)[1:] as block:
            status, n_consumed = self.collector.read(block)
        n_events = self.collector.state.seq - first
        is_incomplete = status != INVALID and not self._eof and len(buffer) < LONG_EVENT
        if n_events or status == CLOSED or is_incomplete:
            return status == CLOSED, range(n_events), self._after(buffer, n_consumed)
        self._drop_comma(buffer, self.collector)
        closed, chunk, rest = super()._cut(buffer)
        assert isinstance(chunk, Chunk)
        self.collector.add(chunk)
        return closed, chunk, rest

    def _drop_comma(self, buffer: bytearray, collector: Collector) -> None:
        """Removes the comma that is due before the next event; cuts in Python end behind it."""
        if not collector.state.is_first and not collector.state.after_comma:
            n_bytes = len(buffer) - len(buffer[1:].lstrip(BLANK))
            if buffer[n_bytes : n_bytes + 1] == b",":
                del buffer[1 : n_bytes + 1]
                self.offset += n_bytes
        collector.expect_event()


class RowsPool:
    """Buffers of rows: as many as are in use at a time, each used again."""

    def __init__(self, make: Callable[[], Rows]) -> None:
        self._make = make
        self._free: queue.SimpleQueue[Rows] = queue.SimpleQueue()

    def take(self) -> Rows:
        """Returns empty rows."""
        with suppress(queue.Empty):
            return self._free.get_nowait()
        return self._make()

    def give_back(self, rows: Rows) -> None:
        """Clears rows for another use; nothing may refer to their columns."""
        rows.clear()
        self._free.put(rows)


def write_groups(
    groups: Iterator[Group], stage: Callable[[list[Places]], pa.Table], pool: RowsPool, path: str
) -> pa.Table:
    """Writes a Parquet file with the rows of all groups, those of each ordered by kind.

    A row group has few kinds: what is read of one kind, or of some, leaves out most of the others.
    Returns the kinds of the events. `stage` types events that are not plain; it is called in this
    thread.
    """
    kinds = Kinds()
    with open_writer(path) as writer:
        for group in ahead(groups, _GROUPS_AHEAD):
            rows = by_kind(kinds.rows(table_of(group, stage)))
            writer.write_table(rows, row_group_size=_ROW_GROUP)
            pool.give_back(group.rows)
    pa.default_memory_pool().release_unused()
    return kinds.table()


def open_writer(path: str) -> Any:
    """Opens a Parquet file for rows of events."""
    from pyarrow import parquet  # takes 20 ms, which small files need not spend

    return parquet.ParquetWriter(
        path, ROW_SCHEMA, compression="snappy", use_dictionary=["kind", "name"],
        store_schema=False, write_statistics=["seq", "kind"],
    )  # fmt: skip


def groups_of(splitter: TypingSplitter, chunks: Iterator[Sized]) -> Iterator[Group]:
    """Reads the remaining chunks of a splitter, and returns the collector's groups."""
    assert splitter.collector is not None
    for _ in chunks:
        yield from splitter.collector.take_full()
    yield from splitter.collector.take_full()
    yield splitter.collector.last


def table_of(group: Group, stage: Callable[[list[Places]], pa.Table]) -> pa.Table:
    """Returns the events of a group in their order."""
    plain = pa.Table.from_batches([group.rows.columns()])
    if not group.others:
        return plain
    both = pa.concat_tables([plain, encoded(stage(group.others))]).unify_dictionaries()
    order = np.argsort(both.column("seq").to_numpy(), kind="stable")
    # From a buffer, because pa.array() of a NumPy array imports pandas where it is installed.
    indices = pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
    return both.combine_chunks().take(indices)


def encoded(staged: pa.Table) -> pa.Table:
    """Returns events that stage.sql typed, as the compiled reader returns plain ones."""
    columns = [
        staged.column(each.name).combine_chunks().dictionary_encode()
        if pa.types.is_dictionary(each.type)
        else staged.column(each.name)
        for each in SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)
