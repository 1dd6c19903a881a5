"""Streams a Trace Event JSON document into the scratch table `event`; gives it no meaning.

What the columns mean is stage.sql. Importers of formats that build on Trace Event JSON call
`read_document` and define the meaning of their categories in SQL macros.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib.resources import files

import msgspec
import numpy as np
import pyarrow as pa

from tw_importers.trace_event.ahead import ahead
from tw_importers.trace_event.repair import REPAIRS, Repairer, repair
from tw_importers.trace_event.repair import Problem as Damage
from tw_importers.trace_event.split import Chunk, Splitter, decode
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

FOLDER = files(__package__)
MACROS = FOLDER / "macros.sql"
PREPARE = FOLDER / "prepare.sql"
BIND = FOLDER / "bind.sql"
NORMALIZE = FOLDER / "normalize.sql"

BATCHES_AHEAD = 4  # of about a block each; more would only cost memory
STYLES = {1: "fixed3", 2: "shortest_float", 4: "shortest"}

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
    repairer = Repairer(_refuse if scratch.is_strict else None)
    splitter = Splitter(reader, repairer, decode)
    failures: list[BaseException] = []
    batches = _remembering(ahead(_batches(splitter), BATCHES_AHEAD), failures)
    first = next(batches, None)
    connection = scratch.connection
    connection.execute(MACROS.read_text())
    if first is None:
        first = pa.RecordBatch.from_pylist([], schema=_BATCH)
    ts_style, dur_style = _number_styles(scratch, first)
    reader_of_all = pa.RecordBatchReader.from_batches(_BATCH, itertools.chain([first], batches))
    try:
        _stage(scratch, reader_of_all)
    except Exception:
        if failures:
            raise failures[0] from None
        raise
    facts = TraceFacts(format=format_name, metadata_json=_metadata(splitter, repairer))
    facts.ts_style, facts.dur_style = STYLES[ts_style], STYLES[dur_style]
    facts.problems = [_problem(damage) for damage in repairer.problems.values()]
    return facts


def _remembering(
    batches: Iterator[pa.RecordBatch], failures: list[BaseException]
) -> Iterator[pa.RecordBatch]:
    """The same batches; what goes wrong is kept, as DuckDB passes on no more than text."""
    try:
        yield from batches
    except BaseException as error:
        failures.append(error)
        raise


def _batches(splitter: Splitter[Chunk]) -> Iterator[pa.RecordBatch]:
    seq = 0
    for chunk in splitter:
        yield _batch(chunk, seq)
        seq += len(chunk.texts)


def _batch(chunk: Chunk, first_seq: int) -> pa.RecordBatch:
    n = len(chunk.texts)
    # From a buffer, because pa.array() of a NumPy array imports pandas where it is installed.
    seq = pa.py_buffer(np.arange(first_seq, first_seq + n))
    columns = [
        pa.Array.from_buffers(pa.int64(), n, [None, seq]),
        _long_texts(chunk.texts),
        _long_texts([event.args for event in chunk.events]),
        _short_texts([event.ts for event in chunk.events]),
        _short_texts([event.dur for event in chunk.events]),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_BATCH)


def _long_texts(texts: list[msgspec.Raw]) -> pa.Array:
    """A string column, copied once and without a Python string for any of its values."""
    offsets = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(list(map(len, map(memoryview, texts))), out=offsets[1:])  # type: ignore[arg-type]
    data = pa.py_buffer(b"".join(texts))
    return pa.Array.from_buffers(pa.string(), len(texts), [None, pa.py_buffer(offsets), data])


def _short_texts(texts: list[msgspec.Raw]) -> pa.Array:
    """The same, faster for short texts: lengths are found between separators no JSON text holds."""
    if not texts:
        return pa.array([], pa.string())
    joined = np.frombuffer(b"\0".join(texts) + b"\0", np.uint8)
    is_text = joined != 0
    offsets = np.zeros(len(texts) + 1, np.int32)
    ends = np.flatnonzero(~is_text) - np.arange(len(texts))
    offsets[1:] = ends
    data = pa.py_buffer(joined[is_text])
    return pa.Array.from_buffers(pa.string(), len(texts), [None, pa.py_buffer(offsets), data])


def _number_styles(scratch: Scratch, first: pa.RecordBatch) -> tuple[int, int]:
    """Judges how the file prints its times and leaves the verdict where stage.sql looks."""
    connection = scratch.connection
    connection.register("event_text", pa.Table.from_batches([first]))
    ((ts_style, dur_style),) = connection.execute((FOLDER / "style.sql").read_text()).fetchall()
    connection.unregister("event_text")
    connection.execute(f"SET VARIABLE ts_style = {ts_style}::UTINYINT")
    connection.execute(f"SET VARIABLE dur_style = {dur_style}::UTINYINT")
    return ts_style, dur_style


def _stage(scratch: Scratch, batches: pa.RecordBatchReader) -> None:
    stage = (FOLDER / "stage.sql").read_text()
    # A file of its own rather than a table: it is written and scanned fastest, and is deleted
    # without leaving dead space in a database. Row groups as DuckDB's own vectors like them.
    target = scratch.path("event").replace("'", "''")
    scratch.connection.register("event_text", batches)
    scratch.connection.execute(
        f"COPY ({stage}) TO '{target}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880)"
    )
    scratch.connection.unregister("event_text")
    scratch.connection.execute(f"CREATE VIEW event AS FROM read_parquet('{target}')")


def _metadata(splitter: Splitter[Chunk], repairer: Repairer) -> str | None:
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


def _refuse(damage: Damage) -> None:
    raise CorruptTrace(
        f"{REPAIRS.get(damage.kind, damage.kind)} at byte {damage.offset}",
        hint="Import it without --strict to repair what can be repaired.",
        offset=damage.offset,
    )


def _problem(damage: Damage) -> Problem:
    return Problem(
        kind=damage.kind,
        meaning=REPAIRS[damage.kind],
        count=damage.count,
        offset=damage.offset,
        example=damage.example,
        severity=damage.severity,
    )
