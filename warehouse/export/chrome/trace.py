"""Writes a trace as Trace Event JSON; SQL builds the text.

A trace imported from Trace Event JSON is written with the same events, metadata and digits; the
order of events and keys, and white space, may differ. Any other trace is converted to a plain
timeline (made.sql), as is a time window of a trace with records that are parts of a slice or no
slice. There, slices that overlap without nesting stay on one track and viewers may drop them: the
Perfetto export writes them to lanes.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from warehouse.checksum import BackgroundSha256
from warehouse.errors import ExportError
from warehouse.export import presentation
from warehouse.export.chrome import load
from warehouse.files import file_stem, is_stream, whole_file, whole_folder
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_BATCH_ROWS = 100_000
_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_SEPARATOR = ",\n"
_NO_VALUES = "SELECT 0 AS track_id, 0 AS ts, 0.0 AS value WHERE false"


@dataclass(frozen=True)
class WrittenTrace:
    """A written file and its number of events."""

    path: Path
    trace_name: str
    n_events: int
    is_restored: bool  # imported from Trace Event JSON: the same events
    sha256: str | None = None  # of the file, if it was computed while it was written


class _Trace(NamedTuple):
    id: int
    name: str
    format: str
    base_ns: int
    source_base_ns: int
    ts_style: str | None
    dur_style: str | None
    metadata_json: str | None


def export_chrome(connection: duckdb.DuckDBPyConnection, path: Path) -> WrittenTrace:
    """Writes the only trace in scope to a `.json` or `.json.gz` file.

    Raises ExportError when the scope has several traces, which the format cannot hold.
    """
    found = traces(connection)
    if len(found) != 1:
        raise ExportError(
            f"a Chrome trace file holds one trace, but {len(found)} are in scope",
            hint="Choose one with --rank or --trace, or name a folder: -o FOLDER/.",
        )
    with whole_file(path) as file:
        return _write(connection, found[0], file, path)


def export_chrome_folder(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[WrittenTrace]:
    """Writes each trace in scope to a `.json.gz` file in a new folder."""
    written = []
    with whole_folder(folder) as part:
        names = _distinct([file_stem(trace.name) for trace in traces(connection)])
        for trace, name in zip(traces(connection), names, strict=True):
            with whole_file(part / f"{name}.json.gz") as file:
                written.append(_write(connection, trace, file, folder / f"{name}.json.gz"))
    return written


def _distinct(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def traces(connection: duckdb.DuckDBPyConnection) -> list[_Trace]:
    rows = connection.execute("""
        SELECT id, name, format, base_ns, source_base_ns, ts_style, dur_style, metadata_json
        FROM trace
        WHERE kind = 'timeline'
        ORDER BY id
    """).fetchall()
    return [_Trace._make(row) for row in rows]


def _write(
    connection: duckdb.DuckDBPyConnection, trace: _Trace, file: BinaryIO, path: Path
) -> WrittenTrace:
    connection.execute(load("macros"))
    is_restored = _is_restored(connection, trace)
    query = _restoring(connection, trace) if is_restored else making(connection, trace)
    head, tail = _document(trace)
    with _checksum(file, path) as checksum:
        file.write(head)
        n_events = write_events(connection, query, file, f"trace {trace.name!r}")
        file.write(tail)
    sha256 = checksum.hex if checksum else None
    return WrittenTrace(path, trace.name, n_events, is_restored, sha256)


def _checksum(file: BinaryIO, path: Path) -> AbstractContextManager[BackgroundSha256 | None]:
    """Computes the checksum of a file written without compression; a stream has none."""
    if path.suffix == ".gz" or is_stream(path):
        return nullcontext()
    return BackgroundSha256(file)


def write_events(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    file: BinaryIO,
    source: str,
    *,
    is_first: bool = True,
) -> int:
    """Writes events with separators before all but the first of a file; returns their number."""
    n_events = 0
    with reading(source):
        for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
            if batch.num_rows:
                text = _text(batch.column(0))
                file.write(text if n_events or not is_first else text[len(_SEPARATOR) :])
                n_events += batch.num_rows
    return n_events


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Raises ExportError, which names the source, where rows cannot be read."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise ExportError(f"{source} cannot be read: {str(error).splitlines()[0]}") from error


def _is_restored(connection: duckdb.DuckDBPyConnection, trace: _Trace) -> bool:
    """Whether the trace was imported from Trace Event JSON: its time styles or texts are stored.

    Not if only slices of some names are in scope, or only a time window: texts hold others.
    """
    if connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name = 'named_slice'"
    ).fetchall():
        return False
    if connection.execute(load("untimed", trace_id=trace.id)).fetchall():
        return False
    if trace.ts_style is not None:
        return True
    # Records of other formats are JSON too, but no Trace Events.
    query = (
        "SELECT 1 FROM source_event WHERE trace_id = ? AND starts_with(event_text, '{')"
        " AND json_valid(event_text) AND json_exists(event_text, '$.ph') LIMIT 1"
    )
    return bool(connection.execute(query, [trace.id]).fetchall())


def _restoring(connection: duckdb.DuckDBPyConnection, trace: _Trace) -> str:
    return load(
        "events",
        separator=_SEPARATOR,
        trace_id=trace.id,
        n_tracks=_n_ids(connection, trace, track="id"),
        n_slices=_n_ids(connection, trace, slice="id", source_event="slice_id"),
        n_flow_points=_n_ids(connection, trace, flow_point="id", source_event="flow_point_id"),
        file_ns=f"({trace.base_ns - trace.source_base_ns})",
        ts_style=trace.ts_style,
        dur_style=trace.dur_style,
    )


def _n_ids(connection: duckdb.DuckDBPyConnection, trace: _Trace, **columns: str) -> int:
    """One more than the lower half of the highest id of the trace in columns of some tables."""
    ids = " UNION ALL ".join(
        f"SELECT max({column}) AS id FROM {table} WHERE trace_id = {trace.id}"
        for table, column in columns.items()
    )
    (n,) = database.one(
        connection, f"SELECT coalesce(max(id & 4294967295) + 1, 0)::BIGINT FROM ({ids})"
    )
    return int(n)


def making(
    connection: duckdb.DuckDBPyConnection,
    trace: _Trace,
    *,
    label: str | None = None,
    file_ns: int | None = None,
) -> str:
    """The events of a trace of another format; creates the TEMP tables that they are read from.

    With a label, processes are named after it and have ids of their own; `file_ns` is added to
    times, by default what the source's times began with.
    """
    shown = presentation.of_scope(connection).get(trace.format)
    drawn = shown.counters(connection) if shown and shown.counters else []
    values = shown.counter_values if shown and drawn else None
    connection.execute(load("counters", trace_id=trace.id))
    for each in drawn:
        connection.execute("INSERT INTO chrome_counter VALUES (?, ?, ?)", list(vars(each).values()))
    named = "NULL::VARCHAR" if label is None else "'" + label.replace("'", "''") + "'"
    connection.execute(load("tracks", trace_id=trace.id, label=named))
    shift_ns = trace.base_ns - trace.source_base_ns if file_ns is None else file_ns
    return separated(
        load(
            "made",
            trace_id=trace.id,
            n_tracks=_n_ids(connection, trace, track="id"),
            file_ns=f"({shift_ns})",
            drawn_values=(values or _NO_VALUES).replace("{lift_ns}", "0"),
        )
    )


def separated(events: str) -> str:
    # A column of texts is one buffer: with the separators in them, it is written as it is.
    return f"SELECT '{_SEPARATOR}' || text FROM ({events}) AS event(text)"


def _document(trace: _Trace) -> tuple[bytes, bytes]:
    """Returns the text before and after the events: the rest of the document, verbatim."""
    metadata = trace.metadata_json
    if not metadata:
        return b"[\n", b"\n]\n"
    events = _EVENTS.search(metadata)
    if events is None:
        # Metadata of another format: it stays beside the events.
        return b'{"metadata":' + metadata.encode() + b',"traceEvents":[\n', b"\n]}\n"
    return metadata[: events.end()].encode() + b"\n", b"\n" + metadata[events.end() :].encode()


def _text(texts: pa.StringArray) -> memoryview:
    """Returns all texts of an array without nulls, one after the other, as UTF-8."""
    _, offsets, data = texts.buffers()
    places = memoryview(offsets).cast("i")
    return memoryview(data)[places[texts.offset] : places[texts.offset + len(texts)]]
