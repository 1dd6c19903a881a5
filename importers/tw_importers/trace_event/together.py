"""Reads several small Trace Event JSON documents into the same scratch tables (`Together`).

Each document is typed by the compiled reader; the events of all that are not plain go through
stage.sql at the end, at once where the documents print their times alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from ctypes import CDLL
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tw_importers.trace_event import native
from tw_importers.trace_event.kinds import Kinds
from tw_importers.trace_event.read import (
    MACROS,
    create_event,
    describe_traces,
    open_document,
    set_styles,
    stage,
)
from tw_importers.trace_event.typed import Collector, Places, encoded, open_writer
from warehouse.ingest.importer import ByteReader, NotTogether, Scratch, TraceFacts
from warehouse.store import statements

_Describe = Callable[[TraceFacts], None]


def read_together(scratch: Scratch, format_name: str, describe: _Describe) -> Documents | None:
    """Returns a reader of documents, if the compiled reader is there."""
    library = native.load().library
    return Documents(scratch, format_name, describe, library) if library else None


@dataclass
class _Read:
    """What is left of a document whose plain events were written."""

    styles: tuple[int, int]
    kinds: Kinds
    metadata_json: str | None
    others: list[Places] = field(default_factory=list)


class Documents:
    """Reads one document after the other; `describe` completes the facts of each."""

    def __init__(
        self, scratch: Scratch, format_name: str, describe: _Describe, library: CDLL
    ) -> None:
        self._scratch, self._format_name, self._describe = scratch, format_name, describe
        self._rows = native.Rows(library)
        self._writer = open_writer(scratch.path("event"))
        self._read: list[_Read] = []
        self._numbers = itertools.count()  # of the kinds of all documents
        statements.execute(scratch.connection, MACROS.read_text())

    def add(self, reader: ByteReader) -> TraceFacts:
        """Reads a document of at most a row group of events."""
        trace_n = len(self._read)
        document = open_document(reader, self._scratch, 1)
        styles = document.ts_style, document.dur_style
        state = native.State(seq=trace_n << 32, ts_style=styles[0], dur_style=styles[1])
        empty = [self._rows]
        self._rows.clear()
        collector = Collector(state, lambda: empty.pop() if empty else _too_large())
        document.splitter.collector = collector
        for chunk in document.start:
            collector.add(chunk)
        for _ in document.chunks:
            pass
        n_events = state.seq - (trace_n << 32)
        if not n_events:
            raise NotTogether
        facts = document.facts(self._format_name, n_events, collector.n_others)
        self._describe(facts)
        kinds = Kinds(trace_n, self._numbers)
        if len(self._rows):
            self._writer.write_table(kinds.rows(pa.Table.from_batches([self._rows.columns()])))
        self._read.append(_Read(styles, kinds, facts.metadata_json, collector.last.others))
        return facts

    def finish(self) -> None:
        """Adds the events that are not plain, and creates `event`."""
        for styles in sorted({each.styles for each in self._read}):
            self._stage([each for each in self._read if each.styles == styles and each.others])
        self._writer.close()
        kinds = pa.concat_tables([each.kinds.table() for each in self._read])
        create_event(self._scratch, kinds)
        describe_traces(self._scratch, [each.metadata_json for each in self._read])

    def _stage(self, documents: list[_Read]) -> None:
        """Writes the events that are not plain of documents with the same styles."""
        if not documents:
            return
        set_styles(self._scratch, *documents[0].styles)
        places = [each for document in documents for each in document.others]
        staged = encoded(stage(self._scratch, places))
        seq = staged.column("seq").to_numpy()
        order = np.argsort(seq, kind="stable")
        # From a buffer, because pa.array() of a NumPy array imports pandas where it is installed.
        rows = staged.take(
            pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
        )
        starts = [0, *(np.flatnonzero(np.diff(seq[order] >> 32)) + 1).tolist()]
        for document, start, end in zip(documents, starts, [*starts[1:], len(seq)], strict=True):
            self._writer.write_table(document.kinds.rows(rows.slice(start, end - start)))


def _too_large() -> native.Rows:
    raise NotTogether
