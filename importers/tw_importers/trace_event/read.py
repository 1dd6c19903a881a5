"""Streams a Trace Event JSON document into the scratch table `event`; gives it no meaning.

What the columns mean is stage.sql. Importers of formats that build on Trace Event JSON call
`read_document` and define the meaning of their categories in SQL macros.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Sized
from ctypes import CDLL
from dataclasses import dataclass
from functools import partial
from importlib.resources import files

import msgspec
import numpy as np
import pyarrow as pa

from tw_importers.trace_event import native
from tw_importers.trace_event.ahead import BlocksAhead
from tw_importers.trace_event.brackets import rematch_threads
from tw_importers.trace_event.numbering import number_slices
from tw_importers.trace_event.repair import Damage, Repairer, repair
from tw_importers.trace_event.split import BLOCK_BYTES, Chunk, decode
from tw_importers.trace_event.typed import (
    Collector,
    Places,
    RowsPool,
    TypingSplitter,
    groups_of,
    write_groups,
)
from warehouse.ahead import ahead
from warehouse.ingest import batches
from warehouse.ingest.importer import (
    ByteReader,
    DiskUse,
    InParts,
    Scratch,
    TraceFacts,
)
from warehouse.store import statements

FOLDER = files(__package__)
MACROS = FOLDER / "macros.sql"
PREPARE = (
    FOLDER / "brackets.sql",
    rematch_threads,
    FOLDER / "prepare.sql",
    number_slices,
    FOLDER / "entries.sql",
)
BIND = FOLDER / "bind.sql"
_FLOW_EVENTS = 2_000_000  # of a part; about a third of Kineto's events are flow points
NORMALIZE = (
    FOLDER / "normalize.sql",
    InParts(FOLDER / "flows.sql", "event_seq", _FLOW_EVENTS),
    FOLDER / "points.sql",
    InParts(FOLDER / "slices.sql", "sorted_span"),
)
#: Recordings repeated to 0.1 to 10 GB took 0.23 to 0.50, and 0.12 to 0.15 in the warehouse.
DISK_USE = DiskUse(peak=0.2, stored=0.1)
_STAGE = FOLDER / "stage.sql"
_STYLE = FOLDER / "style.sql"
_KIND = FOLDER / "kind.sql"
_NUMBERED_KIND = FOLDER / "numbered_kind.sql"
_KIND_HASH = "hash(ph, cat, pid, tid, bp, scope)"  # one integer to join by instead of six texts
_EVENT = FOLDER / "event.sql"

BATCHES_AHEAD = 4  # of about a block each; more would only cost memory
# Chunks; a block has up to two. For fewer, loading the Parquet writer takes longer than it saves.
WORTH_COMPILING = 3
_DICTIONARY_SIZE = 10_000  # values; longer dictionaries are built slowly, and then dropped
Styles = tuple[int, int]  # of ts and dur: bits of number_styles
STYLES = {1: "fixed3", 2: "shortest_float", 4: "shortest"}

_NO_STYLES: Styles = (1, 1)  # of a document without events
_BATCH = pa.schema(
    [
        ("seq", pa.int64()),
        ("text", pa.string()),
        ("args", pa.string()),
        ("ts", pa.string()),
        ("dur", pa.string()),
    ]
)


def read_document(reader: ByteReader, scratch: Scratch, format_name: str) -> TraceFacts:
    """Writes the events to scratch and returns the facts in the rest of the document.

    Raises CorruptTrace if it is not Trace Event JSON, or if it is damaged and read strictly.
    """
    statements.execute(scratch.connection, MACROS.read_text())
    document = open_document(reader, scratch, WORTH_COMPILING)
    start, chunks = document.start, document.chunks
    (styles,) = number_styles(scratch, start[:1]) if start else [_NO_STYLES]
    set_styles(scratch, styles)
    library = native.load().library if len(start) == WORTH_COMPILING else None
    if library is None:
        n_events, n_sql = _type_in_sql(scratch, itertools.chain(start, chunks))
    else:
        state = native.State(ts_style=styles[0], dur_style=styles[1])
        n_events, n_sql = _type_compiled(scratch, library, state, start, document.splitter, chunks)
    facts = document.facts(format_name)
    note_typing(facts, styles, n_events, n_sql)
    describe_traces(scratch, [facts.metadata_json])
    return facts


@dataclass(frozen=True)
class Document:
    """A document of which the first chunks were read."""

    splitter: TypingSplitter
    repairer: Repairer
    start: list[Chunk]
    chunks: Iterator[Sized]  # the others

    def facts(self, format_name: str) -> TraceFacts:
        """Returns what the document declares, after all chunks."""
        facts = TraceFacts(
            format=format_name, metadata_json=_metadata(self.splitter, self.repairer)
        )
        facts.problems = [damage.problem() for damage in self.repairer.problems.values()]
        return facts


def open_document(reader: ByteReader, scratch: Scratch, n_chunks: int) -> Document:
    """Reads the first chunks of a document."""
    repairer = Repairer(Damage.refuse if scratch.is_strict else None)
    splitter = TypingSplitter(reader, repairer, decode)
    chunks = iter(splitter)
    start = [_cut_in_python(chunk) for chunk in itertools.islice(chunks, n_chunks)]
    return Document(splitter, repairer, start, chunks)


def note_typing(facts: TraceFacts, styles: Styles, n_events: int, n_sql: int) -> None:
    """Notes how the times are printed, and how many of the events were typed in SQL."""
    facts.ts_style, facts.dur_style = (STYLES[style] for style in styles)
    facts.stats = [
        ("typed_events", "compiled reader", n_events - n_sql, "count"),
        ("typed_events", "SQL", n_sql, "count"),
    ]


def describe_traces(scratch: Scratch, metadata: Sequence[str | None]) -> None:
    """Creates `source_trace`, the traces in the scratch tables; they count from 0."""
    scratch.connection.execute(
        "CREATE OR REPLACE TABLE source_trace AS SELECT unnest(range(len($all))) AS trace_n, "
        "unnest($all::VARCHAR[]) AS metadata_json",
        {"all": metadata},
    )


def _type_compiled(
    scratch: Scratch,
    library: CDLL,
    state: native.State,
    start: Sequence[Chunk],
    splitter: TypingSplitter,
    chunks: Iterator[Sized],
) -> tuple[int, int]:
    """Types the events with the compiled reader; returns how many they are, and by SQL."""
    pool = RowsPool(lambda: native.Rows(library))
    splitter.collector = collector = Collector(state, pool.take)
    for chunk in start:
        collector.add(chunk)
    with BlocksAhead(splitter.reader, BLOCK_BYTES, 2) as splitter.reader:
        groups = groups_of(splitter, chunks)
        kinds = write_groups(groups, partial(stage, scratch), pool, scratch.path("event"))
    create_event(scratch, kinds)
    return state.seq, collector.n_others


def stage(scratch: Scratch, events: list[Places]) -> pa.Table:
    """Types events that are not plain, in the styles that were set last."""
    batches = [_batch(each.chunk, each.seq) for each in events]
    scratch.connection.register("event_text", pa.Table.from_batches(batches))
    staged = scratch.connection.sql(_STAGE.read_text()).to_arrow_table()
    scratch.connection.unregister("event_text")
    return staged


def create_event(scratch: Scratch, kinds: pa.Table) -> None:
    """Creates `event` and what it is stored as, after its file was written."""
    scratch.connection.register("kinds", kinds)
    scratch.connection.execute("CREATE OR REPLACE TABLE event_kind AS FROM kinds")
    scratch.connection.unregister("kinds")
    _create_view(scratch, "event_row")
    statements.execute(scratch.connection, _EVENT.read_text())


def _type_in_sql(scratch: Scratch, chunks: Iterator[Sized]) -> tuple[int, int]:
    """Types the events with stage.sql alone; returns their number, twice."""
    n_events = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal n_events
        for batch in _batches(chunks):
            n_events += batch.num_rows
            yield batch

    _stage(scratch, ahead(counted(), BATCHES_AHEAD))
    return n_events, n_events


def _batches(chunks: Iterator[Sized]) -> Iterator[pa.RecordBatch]:
    seq = 0
    for chunk in map(_cut_in_python, chunks):
        yield _batch(chunk, range(seq, seq + len(chunk)))
        seq += len(chunk)


def _cut_in_python(chunk: Sized) -> Chunk:
    assert isinstance(chunk, Chunk)  # all are while the splitter has no collector
    return chunk


def _batch(chunk: Chunk, seq: Sequence[int]) -> pa.RecordBatch:
    # From a buffer, because pa.array() of a NumPy array imports pandas where it is installed.
    seq_buffer = pa.py_buffer(np.array(seq, np.int64))
    columns = [
        pa.Array.from_buffers(pa.int64(), len(seq), [None, seq_buffer]),
        _texts(chunk.texts),
        _texts([event.args for event in chunk.events]),
        _texts([event.ts for event in chunk.events]),
        _texts([event.dur for event in chunk.events]),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_BATCH)


def _texts(texts: list[msgspec.Raw]) -> pa.Array:
    """A string column without a Python string for any of its values.

    Lengths are found between separators that no JSON text holds: faster than measuring each text.
    """
    if not texts:
        return pa.array([], pa.string())
    separated = np.frombuffer(b"\0".join(texts) + b"\0", np.uint8)
    offsets = np.zeros(len(texts) + 1, np.int32)
    offsets[1:] = np.flatnonzero(separated == 0) - np.arange(len(texts))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def number_styles(scratch: Scratch, first: Sequence[Chunk]) -> list[Styles]:
    """Judges how documents print their times, by the first chunk of each, which has events."""
    columns = {
        "trace_n": pa.array([n for n, chunk in enumerate(first) for _ in chunk.events], pa.int64()),
        "ts": _texts([event.ts for chunk in first for event in chunk.events]),
        "dur": _texts([event.dur for chunk in first for event in chunk.events]),
    }
    scratch.connection.register("event_text", pa.table(columns))
    found = scratch.connection.execute(_STYLE.read_text()).fetchall()
    scratch.connection.unregister("event_text")
    return [(ts_style, dur_style) for ts_style, dur_style in found]


def set_styles(scratch: Scratch, styles: Styles) -> None:
    """Sets how the file prints its times, for stage.sql."""
    ts_style, dur_style = styles
    scratch.connection.execute(f"SET VARIABLE ts_style = {ts_style}::UTINYINT")
    scratch.connection.execute(f"SET VARIABLE dur_style = {dur_style}::UTINYINT")


def _stage(scratch: Scratch, given: Iterator[pa.RecordBatch]) -> None:
    # A file of its own rather than a table: it is written and scanned fastest, and is deleted
    # without leaving dead space in a database. Row groups as DuckDB's own vectors like them.
    target = scratch.path("event").replace("'", "''")
    statement = (
        f"COPY (SELECT *, {_KIND_HASH} AS kind FROM ({_STAGE.read_text()})) TO '{target}' "
        "(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880, "
        f"DICTIONARY_SIZE_LIMIT {_DICTIONARY_SIZE})"
    )
    batches.run(scratch.connection, statement, "event_text", _BATCH, given)
    _create_view(scratch, "staged")
    create_kinds(scratch)


def create_kinds(scratch: Scratch) -> None:
    """Creates `event` and what it is stored as from `staged` (kind.sql)."""
    statements.execute(scratch.connection, _KIND.read_text())
    shared = scratch.connection.execute(
        "SELECT kind FROM event_kind GROUP BY kind HAVING count(*) > 1 LIMIT 1"
    )
    if shared.fetchall():
        statements.execute(scratch.connection, _NUMBERED_KIND.read_text())


def _create_view(scratch: Scratch, name: str) -> None:
    target = scratch.path("event").replace("'", "''")
    scratch.connection.execute(f"CREATE OR REPLACE VIEW {name} AS FROM read_parquet('{target}')")


def _metadata(splitter: TypingSplitter, repairer: Repairer) -> str | None:
    """The document without its events, if it is a valid one, repaired if need be."""
    text = splitter.metadata
    if not text:
        return None
    for candidate in (text, repair(text)[0]):
        try:
            msgspec.json.decode(candidate, type=msgspec.Raw)
            return candidate.decode()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    repairer.report("metadata", 0, text)
    return None
