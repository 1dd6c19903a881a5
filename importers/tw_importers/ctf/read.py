"""Reads the traces of a session into scratch tables; gives their events no meaning.

`event` has one row an event, in no order: `seq` is its place by trace, stream, packet and index, so
that (ts, seq) is the order in which the streams merge. `event_class`, `packet` and `ctf_trace`
describe what the metadata and the packets state.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tw_importers.ctf import fields, log_events, metadata
from tw_importers.ctf.batches import Batch, Events, nanoseconds
from tw_importers.ctf.columns import Column, Ints, Scalars, as_json
from tw_importers.ctf.find import METADATA
from tw_importers.ctf.packets import Packet, packets
from tw_importers.ctf.side_files import (
    CounterTable,
    SideFile,
    counters,
    functions,
    load,
    log_records,
)
from tw_importers.ctf.starts import Starts
from tw_importers.ctf.tree import EventClass, StreamClass, Trace, least_size
from warehouse.errors import CorruptTrace, UsageError
from warehouse.ingest import batches
from warehouse.ingest.importer import Parts, Problem, Scratch, TraceFacts

_BATCH_BYTES = 4 << 20
_INT, _TEXT, _UINT = pa.int64(), pa.string(), pa.uint64()
_EVENT = pa.schema([
    ("seq", _INT), ("class_n", pa.int32()), ("stream_n", pa.int32()), ("ts", _INT),
    ("cpu", pa.int32()), ("pid", _INT), ("tid", _INT), ("name", _TEXT), ("stamp", _UINT),
    ("context", _TEXT), ("payload", _TEXT),
])  # fmt: skip
_PACKET = pa.schema([
    ("packet_n", pa.int32()), ("stream_n", pa.int32()), ("trace_n", pa.int32()),
    ("stream_class", _INT), ("stream_id", _UINT), ("begin_ns", _INT), ("end_ns", _INT),
    ("discarded", _UINT), ("sequence", _UINT), ("cpu", pa.int32()), ("n_events", _INT),
    ("byte_offset", _INT), ("n_bytes", _INT),
])  # fmt: skip
_CLASS = pa.schema([
    ("class_n", pa.int32()), ("trace_n", pa.int32()), ("stream_class", _INT), ("event_id", _INT),
    ("name", _TEXT), ("attributes_json", _TEXT), ("fields_json", _TEXT),
])  # fmt: skip
_TRACE = pa.schema([
    ("trace_n", pa.int32()), ("folder", _TEXT), ("version", _TEXT), ("uuid", _TEXT),
    ("environment_json", _TEXT), ("clock", _TEXT), ("clock_uuid", _TEXT), ("frequency", _INT),
    ("offset_ns", _INT), ("is_absolute", pa.bool_()), ("uncertainty_ns", _INT),
])  # fmt: skip
_STREAM = pa.schema([("stream_n", pa.int32()), ("trace_n", pa.int32()), ("name", _TEXT)])
_OPTION = pa.schema([("name", _TEXT), ("value", _TEXT)])
_DISPATCH = pa.schema([("n", _INT), ("name", _TEXT), ("cells_json", _TEXT)])
_NUMBER = pa.schema([("n", _INT), ("name", _TEXT), ("value", pa.float64())])
_FUNCTION = pa.schema([("kind", _TEXT), ("id", _INT), ("name", _TEXT)])
_SIDE = pa.schema([("role", _TEXT), ("path", _TEXT), ("n_bytes", _INT), ("sha256", _TEXT)])
_ARROW = pa.schema([("id", _TEXT), ("depends_on", _TEXT)])
_FILES = ("hc_log", "rcp", "cbid")
_LARGEST = (1 << 63) - 1


@dataclass
class _Open:
    """A trace that is being read."""

    number: int
    folder: str
    trace: Trace
    starts: dict[int, Starts] = field(default_factory=dict)


class Session:
    """Reads all traces of a session, one after the other."""

    def __init__(self, parts: Parts, *, is_strict: bool = False, is_lenient: bool = False) -> None:
        self._parts = parts
        self._is_strict, self._is_lenient = is_strict, is_lenient
        self._traces: dict[str, _Open] = {}
        self._classes: dict[tuple[int, int, int], int] = {}
        self._problems: dict[str, Problem] = {}
        self.n_events = 0
        self._name = ""
        self.class_rows: list[tuple[object, ...]] = []
        self.packet_rows: list[tuple[object, ...]] = []
        self.stream_rows: list[tuple[object, ...]] = []

    @property
    def problems(self) -> list[Problem]:
        return list(self._problems.values())

    @property
    def traces(self) -> list[_Open]:
        return list(self._traces.values())

    def read_metadata(self) -> None:
        """Reads the metadata of all traces, before any of their events."""
        for part in self._parts.parts:
            if part.role != METADATA:
                continue
            try:
                trace = metadata.read(self._parts.read(part.name))
                for stream in trace.streams.values():
                    for event in stream.events.values():
                        for kind in (stream.header, stream.context, event.context, event.payload):
                            least_size(kind)
            except CorruptTrace as error:
                raise _named(part.name, error) from None
            folder = posixpath.dirname(part.name)
            self._traces[folder] = _Open(len(self._traces), folder, trace)

    def events(self) -> Iterator[pa.RecordBatch]:
        """Decodes all stream files, in the order of traces and names."""
        names = [part.name for part in self._parts.parts if part.role != METADATA]
        for folder, opened in self._traces.items():
            for name in names:
                if posixpath.dirname(name) == folder:
                    self._name = name
                    try:
                        yield from self._stream(opened, name)
                    except CorruptTrace as error:
                        if not self._is_lenient:
                            raise _named(name, error) from None
                        self.add(Problem(
                            "damaged_stream", f"{error.message}; the rest of the file is unused", 1,
                            error.offset, name, "error",
                        ))  # fmt: skip

    def _stream(self, opened: _Open, name: str) -> Iterator[pa.RecordBatch]:
        stream_n = len(self.stream_rows)
        self.stream_rows.append((stream_n, opened.number, name))
        batch: Batch | None = None
        with self._parts.open(name) as reader:
            for packet in packets(reader, opened.trace):
                if packet.stream.id not in opened.starts:
                    opened.starts[packet.stream.id] = Starts(packet.stream)
                starts = opened.starts[packet.stream.id]
                begins = self._begins(starts, packet)
                if batch is not None and batch.stream is not packet.stream:
                    yield from self._flush(opened, stream_n, batch)
                    batch = None
                if batch is None:
                    batch = Batch(packet.stream, starts.align)
                batch.add(packet, begins)
                if batch.n_bytes >= _BATCH_BYTES:
                    yield from self._flush(opened, stream_n, batch)
                    batch = None
        if batch is not None:
            yield from self._flush(opened, stream_n, batch)

    def _begins(self, starts: Starts, packet: Packet) -> Ints:
        """The begins of the whole events of a packet; reports what is not one."""
        first, last = packet.first_bit, packet.content_bits
        begins, end, error = starts.find(packet.data, first, last, packet.scopes)
        if end < last and not packet.is_cut:
            inside = error.offset if error is not None and error.offset is not None else end // 8
            found = CorruptTrace(
                error.message if error is not None else "an event extends beyond its packet",
                offset=packet.offset + inside,
            )
            if not self._is_lenient:
                raise found
            self.add(Problem(
                "damaged_packet", f"{found.message}; the rest of the packet is unused", 1,
                found.offset, self._name, "error",
            ))  # fmt: skip
        if packet.is_cut:
            self._add_cut(packet, last - end)
        return begins

    def _add_cut(self, packet: Packet, n_bits: int) -> None:
        missing = packet.size - len(packet.data)
        if missing == 0 and not n_bits:
            return
        if self._is_strict:
            raise CorruptTrace(
                f"the file ends inside of its last packet, of which {missing} bytes are missing",
                offset=packet.offset + len(packet.data),
                hint="Import it without --strict to keep the events before.",
            )
        meaning = "stream files end inside of their last packet; the events before are kept"
        offset = packet.offset + len(packet.data)
        self.add(Problem("cut_packet", meaning, 1, offset, self._name, "error"))

    def add(self, problem: Problem) -> None:
        earlier = self._problems.get(problem.kind)
        if earlier is None:
            self._problems[problem.kind] = problem
        else:
            earlier_count = earlier.count + problem.count
            self._problems[problem.kind] = Problem(
                earlier.kind, earlier.meaning, earlier_count, earlier.offset, earlier.example,
                earlier.severity,
            )  # fmt: skip

    def _flush(self, opened: _Open, stream_n: int, batch: Batch) -> Iterator[pa.RecordBatch]:
        counts = batch.counts
        for packet, n_events in zip(batch.packets, counts, strict=True):
            self.packet_rows.append(
                _packet_row(len(self.packet_rows), stream_n, opened.number, packet, n_events)
            )
        cpus = np.array([-1 if p.cpu is None else p.cpu for p in batch.packets], np.int32)
        place = _Place(
            self.n_events,
            stream_n,
            np.repeat(cpus, counts),
            opened.trace.environment.get("vpid"),
        )
        common: dict[str, Any] = {}
        for events in batch.decode():
            class_n = self._class(opened, batch.stream, events.event)
            yield _rows(events, class_n, batch.stream, place, common)
        self.n_events += len(place.cpu)

    def _class(self, opened: _Open, stream: StreamClass, event: EventClass) -> int:
        key = (opened.number, stream.id, event.id)
        if key not in self._classes:
            self._classes[key] = len(self._classes)
            self.class_rows.append((
                self._classes[key], opened.number, stream.id, event.id, event.name,
                json.dumps(dict(event.attributes)),
                json.dumps(fields.described(stream, event)),
            ))  # fmt: skip
        return self._classes[key]


@dataclass
class _Place:
    """Where the events of a batch were recorded; columns have a value for each event."""

    first_seq: int
    stream_n: int
    cpu: Any
    pid: object


def _rows(
    events: Events, class_n: int, stream: StreamClass, place: _Place, common: dict[str, Any]
) -> pa.RecordBatch:
    """The events of one class as rows of `event`."""
    rows, n = events.rows, len(events.rows)
    context = None
    if events.context.columns or list(events.common.names) not in ([], ["vtid"]):
        if "text" not in common:
            common["text"] = as_json(events.common)
        context = common["text"].take(pa.array(rows))
        if events.context.columns:
            context = _joined(context, as_json(events.context))
    # Without a context, or with vtid alone: the column tid says the same.
    pid = _number(events, ("vpid", "pid"))
    if pid is None and isinstance(place.pid, int):
        pid = pa.array(np.full(n, place.pid, np.int64))
    cpu = place.cpu[rows]
    columns = {
        "seq": pa.array(rows + place.first_seq),
        "class_n": pa.array(np.full(n, class_n, np.int32)),
        "stream_n": pa.array(np.full(n, place.stream_n, np.int32)),
        "ts": pa.array(nanoseconds(events.cycles, stream.clock)),
        "cpu": pa.array(cpu, mask=cpu < 0),
        "pid": pid,
        "tid": _number(events, ("vtid", "tid")),
        "name": _text(events.payload.member("name")),
        "stamp": _stamp(events.payload.member("timestamp")),
        "context": context,
        "payload": as_json(events.payload),
    }
    arrays = [
        pa.nulls(n, each.type) if (column := columns[each.name]) is None else column
        for each in _EVENT
    ]
    return pa.RecordBatch.from_arrays([_whole(each) for each in arrays], schema=_EVENT)


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _joined(first: Any, second: Any) -> Any:
    """Two objects of JSON as one."""
    import pyarrow.compute as pc

    inner = pc.utf8_slice_codeunits(first, 0, -1)
    comma = pc.if_else(pc.equal(first, "{}"), "", ",")
    return pc.binary_join_element_wise(inner, comma, pc.utf8_slice_codeunits(second, 1), "")


def _number(events: Events, names: tuple[str, ...]) -> Any:
    """A number of the contexts, by the first of some names that there is."""
    for name in names:
        for group, rows in ((events.context, None), (events.common, events.rows)):
            column = group.member(name)
            if _is_whole(column):
                assert isinstance(column, Scalars)
                values = column.values if rows is None else column.values[rows]
                return pa.array(values.astype(np.int64))
    return None


def _is_whole(column: Column | None) -> bool:
    if not isinstance(column, Scalars) or not isinstance(column.values, np.ndarray):
        return False
    return column.values.dtype.kind in "iu"


def _text(column: Column | None) -> Any:
    if isinstance(column, Scalars) and not isinstance(column.values, np.ndarray):
        return column.values.cast(pa.string())
    return None


def _stamp(column: Column | None) -> Any:
    if not isinstance(column, Scalars) or not isinstance(column.values, np.ndarray):
        return None
    return pa.array(column.values.astype(np.uint64)) if column.values.dtype.kind == "u" else None


def _packet_row(
    packet_n: int, stream_n: int, trace_n: int, packet: Packet, n_events: int
) -> tuple[object, ...]:
    clock = packet.stream.clock
    times = [
        None if cycles is None else int(nanoseconds(np.array([cycles], np.uint64), clock)[0])
        for cycles in (packet.begin, packet.end)
    ]
    return (
        packet_n, stream_n, trace_n, packet.stream.id, packet.stream_id, *times, packet.discarded,
        packet.sequence, packet.cpu, n_events, packet.offset, len(packet.data),
    )  # fmt: skip


def _trace_row(opened: _Open) -> tuple[object, ...]:
    trace = opened.trace
    clock = next((s.clock for s in trace.streams.values() if s.clock is not None), None)
    uncertainty = clock.uncertainty_cycles if clock is not None else None
    return (
        opened.number, opened.folder, trace.version, trace.uuid.hex() if trace.uuid else None,
        json.dumps(trace.environment), *(
            (None,) * 6 if clock is None else (
                clock.name, clock.uuid, clock.frequency, _bounded(clock.offset_ns),
                clock.is_absolute,
                None if uncertainty is None else _bounded(clock.ns(uncertainty)),
            )
        ),
    )  # fmt: skip


def _bounded(value: int) -> int:
    return max(-_LARGEST, min(_LARGEST, value))


def read(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads all traces of a session, or a folder with one trace."""
    session = Session(parts, is_strict=scratch.is_strict, is_lenient=scratch.is_lenient)
    session.read_metadata()
    sides = {name: load(name, scratch.options[name]) for name in _FILES if name in scratch.options}
    _store_events(scratch, session)
    pa.default_memory_pool().release_unused()
    _store_sides(scratch, session, sides)
    _store_rows(scratch, "event_class", _CLASS, session.class_rows)
    _store_rows(scratch, "packet", _PACKET, session.packet_rows)
    _store_rows(scratch, "ctf_trace", _TRACE, [_trace_row(each) for each in session.traces])
    _store_rows(scratch, "ctf_stream", _STREAM, session.stream_rows)
    _store_rows(scratch, "import_option", _OPTION, _options(scratch))
    return _facts(session)


def _options(scratch: Scratch) -> list[tuple[object, ...]]:
    method = scratch.options.get("opencl_clock", "interval")
    if method not in ("interval", "mean"):
        raise UsageError(
            f"opencl_clock is interval or mean, not {method!r}",
            hint="Write --option opencl_clock=mean.",
        )
    return [("opencl_clock", method)]


def _store_sides(scratch: Scratch, session: Session, sides: Mapping[str, SideFile]) -> None:
    """Stores what files beside the trace state, and adds the events of HCC's log."""
    arrows: list[tuple[object, ...]] = []
    if "hc_log" in sides:
        arrows = _store_log(scratch, session, sides["hc_log"])
    _store_rows(scratch, "log_dependency", _ARROW, arrows)
    table = counters(sides["rcp"]) if "rcp" in sides else CounterTable((), ())
    texts = [(n, name, json.dumps(row)) for n, (name, row) in enumerate(
        zip(table.names(), table.rows, strict=True)
    )]  # fmt: skip
    _store_rows(scratch, "rcp_dispatch", _DISPATCH, texts)
    _store_rows(scratch, "rcp_number", _NUMBER, list(table.numbers()))
    known = functions(sides["cbid"]) if "cbid" in sides else []
    _store_rows(scratch, "named_function", _FUNCTION, list(known))
    _store_rows(scratch, "side_file", _SIDE, [each.row() for each in sides.values()])


def _store_log(scratch: Scratch, session: Session, file: SideFile) -> list[tuple[object, ...]]:
    """The records of a log as events of the first trace, on whose clock their times are.

    Returns what each waited for.
    """
    records, n_broken = log_records(file.text)
    trace = session.traces[0]
    clock = next((s.clock for s in trace.trace.streams.values() if s.clock is not None), None)
    offset = clock.offset_ns if clock is not None else 0
    stream_n, first = len(session.stream_rows), session.n_events
    session.stream_rows.append((stream_n, trace.number, file.path.name))
    classes = {name: len(session.class_rows) + n for n, name in enumerate(log_events.NAMES)}
    rows: list[tuple[object, ...]] = []
    for n, (name, time, text, payload) in enumerate(log_events.events(records)):
        rows.append((
            first + n, classes[name], stream_n, _bounded(time + offset), None, None,
            log_events.THREAD, text, time, None, log_events.as_text(payload),
        ))  # fmt: skip
    for name, class_n in classes.items():
        described = json.dumps(log_events.fields_of(name))
        session.class_rows.append((class_n, trace.number, 0, None, name, "{}", described))
    _store_rows(scratch, "log_event", _EVENT, rows)
    scratch.connection.execute("INSERT INTO event FROM log_event")
    if n_broken:
        meaning = "lines of HCC's log that begin as a record but are not one; they are unused"
        session.add(Problem("broken_log_line", meaning, n_broken, example=str(file.path)))
    return [(each.id, before) for each in records for before in each.depends_on]


def _facts(session: Session) -> TraceFacts:
    environments = [each.trace.environment for each in session.traces]
    versions = sorted({each.trace.version for each in session.traces})
    hosts = [str(e["hostname"]) for e in environments if e.get("hostname")]
    described = [
        {"folder": each.folder, "environment": each.trace.environment} for each in session.traces
    ]
    return TraceFacts(
        format="ctf",
        format_version=", ".join(versions),
        metadata_json=json.dumps({"traces": described}),
        host_name=hosts[0] if hosts else None,
        problems=session.problems,
    )


def _store_rows(
    scratch: Scratch, table: str, schema: pa.Schema, rows: Sequence[tuple[object, ...]]
) -> None:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, each.type) for values, each in zip(columns, schema, strict=True)]
    _store(scratch, table, pa.table(arrays, schema=schema))


def _store_events(scratch: Scratch, session: Session) -> None:
    """Writes events while they are decoded."""
    statement = "CREATE TABLE event AS FROM rows"
    batches.run(scratch.connection, statement, "rows", _EVENT, session.events())


def _store(scratch: Scratch, table: str, rows: Any) -> None:
    scratch.connection.register("rows", rows)
    try:
        scratch.connection.execute(f"CREATE TABLE {table} AS FROM rows")
    finally:
        scratch.connection.unregister("rows")


def _named(name: str, error: CorruptTrace) -> CorruptTrace:
    """The error with the file and the place in it."""
    where = f", at byte {error.offset}" if error.offset is not None else ""
    hint = error.hint or "Copy or record the trace again."
    return CorruptTrace(f"{name}: {error.message}{where}", hint=hint, offset=error.offset)
