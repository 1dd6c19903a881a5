"""A small warehouse written by hand, and a model of how viewers read a Perfetto trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import attached
from warehouse.store import database

T = 1 << 32  # ids of trace 1 start here

CATALOGUE = """
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'demo', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
                   imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'rank0', 0, 'made', 'made', 1, '0', '2026-01-01', 1000000, 0);
"""

PLACES = f"""
INSERT INTO process (id, trace_id, pid, name, labels, source_pid)
VALUES ({T}, 1, 4242, 'python', NULL, '4242'), ({T + 1}, 1, 0, 'device', 'GPU 0', '0');
INSERT INTO thread (id, trace_id, process_id, tid, name, source_tid)
VALUES ({T}, 1, {T}, 4242, 'main', '4242');
INSERT INTO device (id, trace_id, kind, ordinal, name) VALUES ({T}, 1, 'gpu', 0, 'H200');
INSERT INTO track (id, trace_id, kind, name, process_id, thread_id, device_id, stream, unit)
VALUES
  ({T}, 1, 'thread', 'main', {T}, {T}, NULL, NULL, NULL),
  ({T + 1}, 1, 'stream', 'stream 7', {T + 1}, NULL, {T}, 7, NULL),
  ({T + 2}, 1, 'async', 'request', {T}, NULL, NULL, NULL, NULL),
  ({T + 3}, 1, 'counter', 'memory', {T}, NULL, NULL, NULL, 'byte');
"""


@dataclass
class Slice:
    """A slice as a viewer shows it; `ts` in ns since the clock's epoch."""

    track: str
    name: str
    ts: int
    dur: int = -1
    depth: int = 0
    args: dict[str, Any] = field(default_factory=dict)
    category: str | None = None


@dataclass
class Timeline:
    """What a viewer makes of a trace file."""

    slices: list[Slice] = field(default_factory=list)
    instants: list[Slice] = field(default_factory=list)
    counters: list[tuple[str, int, float]] = field(default_factory=list)
    flows: list[tuple[str, str]] = field(default_factory=list)  # names of (slice out, slice in)
    tracks: dict[int, Any] = field(default_factory=dict)  # uuid -> TrackDescriptor

    def name_of(self, uuid: int) -> str:
        track = self.tracks[uuid]
        name: str = track.thread.thread_name or track.process.process_name or track.name
        return name

    def shown(self) -> list[tuple[str, str, int, int]]:
        """(track, name, ts, dur) of the slices, ordered."""
        return sorted((s.track, s.name, s.ts, s.dur) for s in self.slices)


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes a warehouse of the catalogue, the places and more SQL; gives a locked connection."""
    readers: list[database.Reader] = []

    def make(*statements: str, places: str = PLACES) -> Any:
        path = tmp_path / f"w{len(readers)}.duckdb"
        database.create_empty(path)
        with attached(path) as connection:
            for statement in (CATALOGUE, places, *statements):
                connection.execute(statement)
        readers.append(database.Reader(path))
        return readers[-1].connection

    yield make
    for reader in readers:
        reader.close()


@pytest.fixture
def empty_timeline() -> str:
    """The SQL of a trace that has places and no slices."""
    return CATALOGUE + PLACES


@pytest.fixture
def slices() -> Callable[..., str]:
    """The INSERT of slices given as (n, track, ts, dur, name[, depth, phase, args])."""

    def insert(*rows: tuple[Any, ...]) -> str:
        values = []
        for n, track, ts, dur, name, *rest in rows:
            defaults: list[Any] = [0, "X", None]
            depth, phase, args = [*rest, *defaults[len(rest) :]]
            text = "NULL" if args is None else "'" + args.replace("'", "''") + "'"
            what = f"'cat', '{name}', {depth}, '{phase}', {text}"
            values.append(f"({T + n}, 1, {T + track}, {ts}, {dur}, {what})")
        return (
            "INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, phase,"
            f" args_json) VALUES {', '.join(values)}"
        )

    return insert


@pytest.fixture
def read() -> Callable[[Path], Timeline]:
    """Reads a trace as trace_processor does: packets by time, in file order where equal."""
    return _read


def _read(path: Path) -> Timeline:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    packets = Trace.FromString(path.read_bytes()).packet
    timeline, interned = Timeline(), _interned(packets)
    for packet in packets:
        if packet.HasField("track_descriptor"):
            timeline.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
    stacks: dict[int, list[Slice]] = defaultdict(list)
    arrows: dict[int, str] = {}
    for packet in sorted(
        (p for p in packets if p.HasField("track_event")), key=lambda p: int(p.timestamp)
    ):
        _event(timeline, packet, interned, stacks[packet.track_event.track_uuid], arrows)
    return timeline


#: Kind of strings -> (packet sequence, number) -> string.
Interned = dict[str, dict[tuple[int, int], str]]


def _interned(packets: Any) -> Interned:
    tables: Interned = defaultdict(dict)
    for packet in packets:
        for kind in ("event_names", "event_categories", "debug_annotation_names"):
            for entry in getattr(packet.interned_data, kind):
                name = entry.name if isinstance(entry.name, str) else entry.name.decode()
                tables[kind][packet.trusted_packet_sequence_id, entry.iid] = name
    return tables


def _event(
    timeline: Timeline,
    packet: Any,
    interned: Interned,
    stack: list[Slice],
    arrows: dict[int, str],
) -> None:
    event, sequence = packet.track_event, packet.trusted_packet_sequence_id
    track = timeline.name_of(event.track_uuid)
    if event.type == event.TYPE_COUNTER:
        timeline.counters.append((track, packet.timestamp, event.double_counter_value))
        return
    if event.type == event.TYPE_SLICE_END:
        found = stack.pop()
        found.dur = packet.timestamp - found.ts
    else:
        found = Slice(
            track,
            event.name or interned["event_names"].get((sequence, event.name_iid), ""),
            packet.timestamp,
            depth=len(stack),
            args={_key(a, sequence, interned): value_of(a) for a in event.debug_annotations},
            category=next(
                (interned["event_categories"][sequence, number] for number in event.category_iids),
                next(iter(event.categories), None),
            ),
        )
        if event.type == event.TYPE_INSTANT:
            found.dur = 0
            timeline.instants.append(found)
        else:
            timeline.slices.append(found)
            stack.append(found)
    _arrows(timeline, event, found.name, arrows)


def _arrows(timeline: Timeline, event: Any, name: str, arrows: dict[int, str]) -> None:
    """A start that was seen before goes on from there; an end that was not is dropped."""
    for flow in event.flow_ids:
        if flow in arrows:
            timeline.flows.append((arrows[flow], name))
        arrows[flow] = name
    for flow in event.terminating_flow_ids:
        if flow in arrows:
            timeline.flows.append((arrows.pop(flow), name))


def _key(annotation: Any, sequence: int, interned: Interned) -> str:
    if annotation.name_iid:
        return interned["debug_annotation_names"][sequence, annotation.name_iid]
    return str(annotation.name)


def value_of(annotation: Any) -> Any:
    if annotation.dict_entries:
        return {entry.name: value_of(entry) for entry in annotation.dict_entries}
    if annotation.array_values:
        return [value_of(element) for element in annotation.array_values]
    return getattr(annotation, annotation.WhichOneof("value"))
