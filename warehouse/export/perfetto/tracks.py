"""Lays out Perfetto track descriptors: processes, threads, named tracks and counters.

Descriptors have consecutive uuids in the order of the warehouse's ids. Thread tracks have a
ThreadDescriptor; streams, engines, links, async groups and counters are named tracks under their
process, or under their device if they have no process. The lanes of a track are its siblings
(children, for a thread) named NAME #2, NAME #3, ...; lanes and streams are not merged by viewers,
async tracks of one name may be.

Field meanings: protos/perfetto/trace/track_event/track_descriptor.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from warehouse.export.perfetto import load

if TYPE_CHECKING:
    import duckdb

    from warehouse.export.presentation import Counter

# Above real pids and tids; distinct, because a tid equal to the pid marks the main thread.
_FIRST_INVENTED_PID = 1 << 30
_FIRST_INVENTED_TID = _FIRST_INVENTED_PID | 1 << 29
_MAX_PID = 2**31 - 1  # ProcessDescriptor.pid is int32
_MAX_TID = 2**63 - 1


class _Process(NamedTuple):
    id: int
    trace_id: int
    pid: int | None
    name: str
    labels: str | None
    sort_index: int | None
    rank: int | None
    trace_name: str
    run_name: str
    has_own_rank: bool  # one trace may hold many ranks


class _Track(NamedTuple):
    id: int
    trace_id: int
    kind: str
    name: str | None
    process_id: int | None
    thread_id: int | None
    parent_track_id: int | None
    stream: int | None
    unit: str | None
    sort_index: int | None
    tid: int | None
    thread_name: str | None
    device_id: int | None
    device_name: str | None


@dataclass
class Plan:
    """The descriptors of a file, and the uuid of each track."""

    descriptors: list[Any] = field(default_factory=list)  # TrackDescriptor messages
    uuids: dict[int, int] = field(default_factory=dict)  # track id -> uuid of its lane 0

    @property
    def n_tracks(self) -> int:
        return len(self.uuids)


class _Numbers:
    """Assigns pids or tids: the recorded one if valid and unused, else an invented one."""

    def __init__(self, limit: int, first_invented: int, recorded: Iterable[int | None]) -> None:
        self._limit = limit
        self._taken: set[int] = set()
        self._recorded = set(recorded)
        self._next = first_invented

    def give(self, number: int | None) -> int:
        # Viewers treat 0 as the idle task.
        if number is None or not 0 < number <= self._limit or number in self._taken:
            while self._next in self._taken or self._next in self._recorded:
                self._next += 1
            number = self._next
        self._taken.add(number)
        return number


def plan(
    connection: duckdb.DuckDBPyConnection, extra_lanes: dict[int, int], counters: Sequence[Counter]
) -> Plan:
    """Lays out the scope's tracks; `extra_lanes` are the lanes besides the first, by track id.

    `counters` are drawn beside tracks of slices; their track ids are negated.
    """
    return _Planner(connection, extra_lanes, counters).run()


class _Planner:
    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        extra_lanes: dict[int, int],
        counters: Sequence[Counter],
    ) -> None:
        self.connection = connection
        self.extra_lanes = extra_lanes
        self.counters = counters
        self.plan = Plan()
        self.next_uuid = 1
        self.process_uuids: dict[int, int] = {}
        self.process_pids: dict[int, int] = {}
        self.device_uuids: dict[int, int] = {}
        self.threads_seen: set[int] = set()

    def run(self) -> Plan:
        runs = self.connection.execute("SELECT run_id FROM export_trace").fetchall()
        self.n_traces, self.n_runs = len(runs), len(set(runs))
        self._processes()
        tracks = list(self._rows(_Track, "places"))
        # Numbered first: the parent of a track may have a higher id.
        for track in tracks:
            self.plan.uuids[track.id] = self._uuids(1 + self.extra_lanes.get(track.id, 0))
        tids = _Numbers(_MAX_TID, _FIRST_INVENTED_TID, (track.tid for track in tracks))
        for track in tracks:
            self._track(track, tids)
        self._counters({track.id: track for track in tracks})
        return self.plan

    def _counters(self, tracks: dict[int, _Track]) -> None:
        """Adds the tracks of counters, each just below the track of slices it belongs to."""
        for counter in self.counters:
            beside = tracks[counter.track_id]
            uuid = self.plan.uuids[-counter.track_id] = self._uuids(1)
            rank = None if beside.sort_index is None else beside.sort_index - 1
            track = beside._replace(kind="counter", unit=counter.unit, sort_index=rank)
            self._named(track, uuid, self._parent(beside), counter.name)

    def _rows(self, kind: Any, query: str) -> Iterator[Any]:
        return map(kind._make, self.connection.execute(load(query)).fetchall())

    def _uuids(self, n: int) -> int:
        first = self.next_uuid
        self.next_uuid += n
        return first

    def _describe(self, uuid: int, parent: int | None = None, name: str | None = None) -> Any:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackDescriptor

        descriptor = TrackDescriptor(uuid=uuid)
        if parent is not None:
            descriptor.parent_uuid = parent
        if name is not None:
            descriptor.name = name
        self.plan.descriptors.append(descriptor)
        return descriptor

    def _processes(self) -> None:
        processes = list(self._rows(_Process, "processes"))
        pids = _Numbers(_MAX_PID, _FIRST_INVENTED_PID, (process.pid for process in processes))
        for process in processes:
            uuid = self.process_uuids[process.id] = self._uuids(1)
            pid = self.process_pids[process.id] = pids.give(process.pid)
            target = self._describe(uuid).process
            target.pid = pid
            target.process_name = self._prefix(process) + process.name
            if process.labels:
                target.process_labels.append(process.labels)
            _set_sort_index(target, process.sort_index)

    def _prefix(self, process: _Process) -> str:
        """Returns the name of the trace, in files of several traces."""
        if self.n_traces == 1 and not process.has_own_rank:
            return ""
        place = process.trace_name if process.rank is None else f"rank {process.rank}"
        return f"{place}: " if self.n_runs == 1 else f"{process.run_name} {place}: "

    def _track(self, track: _Track, tids: _Numbers) -> None:
        uuid = self.plan.uuids[track.id]
        parent = self._parent(track)
        name = track.name or track.thread_name or f"{track.kind} {track.id & 0xFFFF_FFFF}"
        if self._is_thread(track):
            self._thread(track, uuid, tids.give(track.tid), name)
            parent = uuid
        else:
            self._named(track, uuid, parent, name)
        for lane in range(1, self.extra_lanes.get(track.id, 0) + 1):
            extra = self._describe(uuid + lane, parent, f"{name} #{lane + 1}")
            extra.sibling_merge_behavior = extra.SIBLING_MERGE_BEHAVIOR_NONE

    def _is_thread(self, track: _Track) -> bool:
        """Whether the track represents its thread."""
        if track.kind != "thread" or track.thread_id is None or track.process_id is None:
            return False
        is_first = track.thread_id not in self.threads_seen
        self.threads_seen.add(track.thread_id)
        return is_first

    def _thread(self, track: _Track, uuid: int, tid: int, name: str) -> None:
        target = self._describe(uuid).thread
        assert track.process_id is not None
        pid = self.process_pids[track.process_id]
        target.pid = pid
        target.tid = tid
        target.thread_name = name
        _set_sort_index(target, track.sort_index)

    def _named(self, track: _Track, uuid: int, parent: int | None, name: str) -> None:
        descriptor = self._describe(uuid, parent, name)
        if track.kind == "counter":
            descriptor.counter.SetInParent()
            if track.unit:
                descriptor.counter.unit_name = track.unit
        elif track.kind != "async":
            descriptor.sibling_merge_behavior = descriptor.SIBLING_MERGE_BEHAVIOR_NONE
        if track.sort_index is not None and abs(track.sort_index) <= _MAX_PID:
            descriptor.sibling_order_rank = track.sort_index

    def _parent(self, track: _Track) -> int | None:
        if track.parent_track_id is not None:
            return self.plan.uuids.get(track.parent_track_id)
        if track.process_id is not None:
            return self.process_uuids.get(track.process_id)
        if track.device_id is None:
            return None
        if track.device_id not in self.device_uuids:
            uuid = self.device_uuids[track.device_id] = self._uuids(1)
            self._describe(uuid, name=track.device_name)
        return self.device_uuids[track.device_id]


def _set_sort_index(target: Any, sort_index: int | None) -> None:
    if sort_index is not None and abs(sort_index) <= _MAX_PID:
        target.legacy_sort_index = sort_index
