"""Reads several small Trace Event JSON documents into the same scratch tables (`Together`).

Documents are cut one by one, and judged and typed at once: plain events by the compiled reader, the
others by stage.sql, by one statement for all documents that print their times alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from ctypes import CDLL
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tw_importers.trace_event import native
from tw_importers.trace_event.kinds import Kinds
from tw_importers.trace_event.read import (
    MACROS,
    Styles,
    create_event,
    describe_traces,
    note_typing,
    number_styles,
    open_document,
    set_styles,
    stage,
)
from tw_importers.trace_event.split import Chunk
from tw_importers.trace_event.typed import Collector, Places, encoded, open_writer
from warehouse.ingest.importer import ByteReader, NotTogether, Scratch, TraceFacts
from warehouse.store import statements

_MAX_CHUNKS = 8  # of a document: two for a block
_MAX_EVENTS = 400_000  # of all documents, which are in memory
_Describe = Callable[[TraceFacts], None]


def read_together(scratch: Scratch, format_name: str, describe: _Describe) -> Documents | None:
    """Returns a reader of documents, if the compiled reader is there."""
    library = native.load().library
    return Documents(scratch, format_name, describe, library) if library else None


@dataclass
class _Read:
    """A document that was cut into events."""

    chunks: list[Chunk]
    facts: TraceFacts
    styles: Styles = (0, 0)
    kinds: Kinds = field(default_factory=Kinds)
    others: list[Places] = field(default_factory=list)  # events that are not plain

    @property
    def n_events(self) -> int:
        return sum(map(len, self.chunks))


class Documents:
    """Reads one document after the other; `describe` completes the facts of each."""

    def __init__(
        self, scratch: Scratch, format_name: str, describe: _Describe, library: CDLL
    ) -> None:
        self._scratch, self._format_name, self._describe = scratch, format_name, describe
        self._rows = native.Rows(library)
        self._read: list[_Read] = []
        self._n_events = 0
        statements.execute(scratch.connection, MACROS.read_text())

    def add(self, reader: ByteReader) -> TraceFacts:
        """Cuts a document of at most a row group of events; its facts are complete at the end."""
        document = open_document(reader, self._scratch, _MAX_CHUNKS)
        is_whole = next(document.chunks, None) is None
        facts = document.facts(self._format_name)
        self._describe(facts)
        read = _Read(document.start, facts)
        if not is_whole or not 0 < read.n_events <= self._rows.capacity:
            raise NotTogether
        self._n_events += read.n_events
        if self._n_events > _MAX_EVENTS:
            raise NotTogether
        self._read.append(read)
        return facts

    def finish(self) -> None:
        """Types the events of all documents, and creates `event`."""
        styles = number_styles(self._scratch, [each.chunks[0] for each in self._read])
        numbers = itertools.count()  # of the kinds of all documents
        with open_writer(self._scratch.path("event")) as writer:
            for n, each in enumerate(self._read):
                each.styles, each.kinds = styles[n], Kinds(n, numbers)
                self._write_plain(writer, each, n)
            for alike in sorted(set(styles)):
                documents = [each for each in self._read if each.styles == alike and each.others]
                if documents:
                    self._write_others(writer, alike, documents)
        create_event(self._scratch, pa.concat_tables([each.kinds.table() for each in self._read]))
        describe_traces(self._scratch, [each.facts.metadata_json for each in self._read])

    def _write_plain(self, writer: Any, read: _Read, trace_n: int) -> None:
        """Writes the plain events of a document, and keeps the others."""
        ts_style, dur_style = read.styles
        state = native.State(seq=trace_n << 32, ts_style=ts_style, dur_style=dur_style)
        self._rows.clear()
        empty = [self._rows]
        collector = Collector(state, lambda: empty.pop() if empty else _too_large())
        for chunk in read.chunks:
            collector.add(chunk)
        if len(self._rows):
            writer.write_table(read.kinds.rows(pa.Table.from_batches([self._rows.columns()])))
        read.others = collector.last.others
        note_typing(read.facts, read.styles, read.n_events, collector.n_others)

    def _write_others(self, writer: Any, styles: Styles, documents: list[_Read]) -> None:
        """Writes the events that are not plain of documents that print times alike."""
        set_styles(self._scratch, styles)
        places = [each for document in documents for each in document.others]
        staged = encoded(stage(self._scratch, places))
        seq = staged.column("seq").to_numpy()
        order = np.argsort(seq, kind="stable")
        # From a buffer, because pa.array() of a NumPy array imports pandas where it is installed.
        indices = pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
        rows = staged.take(indices)
        starts = [0, *(np.flatnonzero(np.diff(seq[order] >> 32)) + 1).tolist()]
        for document, start, end in zip(documents, starts, [*starts[1:], len(seq)], strict=True):
            writer.write_table(document.kinds.rows(rows.slice(start, end - start)))


def _too_large() -> native.Rows:
    raise NotTogether
