"""Track events as rows: begins, ends and instants of slices, values of counters, points of flows.

Format: protos/perfetto/trace/track_event/track_event.proto. Older events, with a phase of the Trace
Event Format, are read where their phase makes slices.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
from google.protobuf.unknown_fields import UnknownFieldSet

from tw_importers.perfetto.arguments import json_text, text_of
from tw_importers.perfetto.sequences import Sequence
from tw_importers.perfetto.tracks import Key, Tracks
from tw_importers.perfetto.typed_fields import TypedFields
from tw_importers.protobuf.declared import ONE
from warehouse.ingest.importer import Problem

BEGIN, END, INSTANT, COUNTER, COMPLETE = "B", "E", "i", "C", "X"
_TYPES = {1: BEGIN, 2: END, 3: INSTANT, 4: COUNTER}
_PHASES = {
    "B": BEGIN, "E": END, "i": INSTANT, "I": INSTANT, "R": INSTANT, "X": COMPLETE,
    "b": BEGIN, "e": END, "n": INSTANT,
}  # fmt: skip
_ASYNC = "ben"

TABLES = {
    "event": pa.schema(
        [
            ("seq", pa.int64()),
            ("phase", pa.string()),
            ("source_track_n", pa.int64()),
            ("ts_ns", pa.int64()),
            ("dur_ns", pa.int64()),
            ("category", pa.string()),
            ("name", pa.string()),
            ("args", pa.string()),
            ("extra", pa.string()),
        ]
    ),
    "sample": pa.schema(
        [
            ("seq", pa.int64()),
            ("source_track_n", pa.int64()),
            ("ts_ns", pa.int64()),
            ("value", pa.float64()),
        ]
    ),
    "hop": pa.schema([("seq", pa.int64()), ("flow", pa.uint64()), ("is_last", pa.bool_())]),
}


class EventReader:
    """Collects the rows of events."""

    def __init__(self, tracks: Tracks, typed: TypedFields) -> None:
        self._tracks, self._typed = tracks, typed
        self._n_events = 0
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
        self._unread = Counter[int]()
        self._n_without_counter = 0

    @property
    def n_rows(self) -> int:
        """The rows that were not taken."""
        return sum(map(len, self._rows.values()))

    def take(self) -> dict[str, pa.RecordBatch]:
        """Returns and forgets the rows, by table."""
        taken = {name: _batch(TABLES[name], rows) for name, rows in self._rows.items()}
        self._rows = {name: [] for name in TABLES}
        return taken

    def add(self, sequence: Sequence, event: Any, ns: int) -> None:
        """Adds the rows of an event at a time of the trace. Raises DecodeError if it is damaged."""
        seq = self._n_events
        self._n_events += 1
        phase, key, dur = _TYPES.get(event.type), _key(sequence, event), None
        if phase is None and event.HasField("legacy"):
            letter = chr(event.legacy.phase) if 0 < event.legacy.phase < 128 else "?"
            phase, key = _PHASES.get(letter, letter), _legacy_key(sequence, event, letter)
            dur = event.legacy.duration_us * 1000 if phase == COMPLETE else None
        source_track_n = self._tracks.number(key)
        found = event.annotations
        args = sequence.arguments.encoded(found) if found else None
        if len(unknown := UnknownFieldSet(event)):
            args = self._with_typed(args, event, unknown, is_counted=phase != END)
        name, category = _name(sequence, event), _category(sequence, event)
        extra = None
        if phase != END:
            extra = _extra(sequence, event)
        self._rows["event"].append(
            (seq, phase, source_track_n, ns, dur, category, name, args, extra)
        )
        if phase == COUNTER:
            self._sample(sequence, event, seq, key, ns)
        elif event.counter_values or event.double_counter_values:
            self._extra_samples(sequence, event, seq, ns)
        if event.flows or event.last_flows or event.flows_old or event.last_flows_old:
            self._hops(event, seq)

    def _with_typed(
        self, args: str | None, event: Any, unknown: UnknownFieldSet, *, is_counted: bool
    ) -> str | None:
        """Arguments with the typed fields of an event; counts the fields that are not read."""
        members, unread = self._typed.members(event, unknown)
        if is_counted:
            self._unread.update(unread)
        if not members:
            return args
        before = [args[1:-1]] if args and args != "{}" else []
        return f"{{{','.join([*before, *members])}}}"

    def _hops(self, event: Any, seq: int) -> None:
        hops = self._rows["hop"]
        hops += [(seq, each, False) for each in (*event.flows, *event.flows_old)]
        hops += [(seq, each, True) for each in (*event.last_flows, *event.last_flows_old)]

    def _sample(self, sequence: Sequence, event: Any, seq: int, key: Key, ns: int) -> None:
        value = event.int_value if event.HasField("int_value") else event.double_value
        self._add_sample(sequence, key, seq, ns, value)

    def _add_sample(self, sequence: Sequence, key: Key, seq: int, ns: int, value: float) -> None:
        if state := self._tracks.counters.get(key.uuid or 0):
            value = state.value(value, sequence.id)
        self._rows["sample"].append((seq, self._tracks.number(key), ns, float(value)))

    def _extra_samples(self, sequence: Sequence, event: Any, seq: int, ns: int) -> None:
        """Adds values of counters that an event of a slice carries."""
        for uuids, values in (
            (event.counters or sequence.counters, event.counter_values),
            (event.double_counters or sequence.double_counters, event.double_counter_values),
        ):
            for uuid, value in zip(uuids, values, strict=False):
                self._add_sample(sequence, Key(uuid), seq, ns, value)
            self._n_without_counter += max(len(values) - len(uuids), 0)

    def problems(self) -> list[Problem]:
        """Problems for the fields of events that were not read."""
        found = []
        if self._n_without_counter:
            meaning = "values of counters without a track, dropped"
            found.append(Problem("value_without_counter", meaning, self._n_without_counter))
        if self._unread:
            names = ", ".join(sorted(map(_field_name, self._unread)))
            meaning = f"fields of events that are not read: {names}"
            n = sum(self._unread.values())
            found.append(Problem("unread_fields", meaning, n, severity="note"))
        return found


def _key(sequence: Sequence, event: Any) -> Key:
    """The track of an event."""
    if event.HasField("track_uuid"):
        return Key(event.track_uuid)
    if sequence.track_uuid is not None:
        return Key(sequence.track_uuid)
    if sequence.thread is not None:
        return Key(None, *sequence.thread)
    return Key(0)


def _legacy_key(sequence: Sequence, event: Any, letter: str) -> Key:
    """The track of an older event: its thread, or the group its id is of."""
    legacy, key = event.legacy, _key(sequence, event)
    pid, tid = sequence.thread or (None, None)
    if legacy.HasField("pid_override") or legacy.HasField("tid_override"):
        pid, tid = legacy.pid_override or pid, legacy.tid_override or tid
        key = Key(None, pid, tid)
    if letter not in _ASYNC:
        return key
    kind = legacy.WhichOneof(ONE)
    if kind is None:
        return key
    scope = text_of(legacy.id_scope) or _category(sequence, event)
    id = f"{getattr(legacy, kind):#x}"
    return Key(None, pid if kind == "local_id" else None, None, scope, id)


def _name(sequence: Sequence, event: Any) -> str | None:
    """The name of an event; None if it has none."""
    iid = event.name_iid or event.legacy.name_iid
    if iid:
        return sequence.names.get(iid, f"name {iid}")
    return text_of(event.name) if event.HasField("name") else None


def _category(sequence: Sequence, event: Any) -> str | None:
    """The categories of an event, with commas between; None if it has none."""
    iids, texts = event.category_iids, event.categories
    if not texts:
        return sequence.category(iids) if iids else None
    named = [text_of(each) for each in texts]
    return ",".join([sequence.category(iids), *named] if iids else named)


def _extra(sequence: Sequence, event: Any) -> str | None:
    """Fields of an event other than its arguments, as a JSON object; None without any."""
    members = []
    location = _location(sequence, event)
    if location is not None:
        members.append(
            f'"source_location":{{"file_name":{json_text(location.file)},'
            f'"function_name":{json_text(location.function)},"line_number":{location.line}}}'
        )
    if event.HasField("log"):
        body = sequence.log_bodies.get(event.log.body_iid, "")
        members.append(f'"log_message":{json_text(body.encode())}')
    kind = event.WhichOneof(ONE)
    if kind == "correlation":
        members.append(f'"correlation_id":{event.correlation}')
    elif kind is not None:
        text = sequence.correlations.get(event.correlation_iid, "").encode()
        members.append(f'"correlation_id":{json_text(event.correlation_text or text)}')
    return f"{{{','.join(members)}}}" if members else None


def _location(sequence: Sequence, event: Any) -> Any:
    """The source location of an event, a message of type Location; None if it has none."""
    if event.HasField("location"):
        return event.location
    iid = event.location_iid or event.task.location_iid or event.log.location_iid
    return sequence.locations.get(iid) if iid else None


def _batch(schema: pa.Schema, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, each.type) for values, each in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _field_name(number: int) -> str:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

    field = TrackEvent.DESCRIPTOR.fields_by_number.get(number)
    return field.name if field is not None else f"field {number}"
