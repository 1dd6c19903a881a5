"""Tracks, processes and threads as packets describe them; tracks.sql puts them together.

Format: protos/perfetto/trace/track_event/{track,process,thread,counter}_descriptor.proto.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from tw_importers.perfetto.arguments import text_of

_UNITS = {1: "ns", 2: "count", 3: "bytes"}  # CounterDescriptor.Unit
_BUILTIN = {1: ("thread_time", "ns"), 2: ("thread_instruction_count", "count")}
_THREAD, _PROCESS, _COUNTER, _OTHER = "thread", "process", "counter", "other"


class Key(NamedTuple):
    """How an event identifies its track: a uuid, a thread, or the id of an async group."""

    uuid: int | None = None
    pid: int | None = None
    tid: int | None = None
    scope: str | None = None
    id: str | None = None


class Description(NamedTuple):
    """A track descriptor."""

    uuid: int
    parent: int | None
    kind: str
    name: str | None
    pid: int | None
    tid: int | None
    unit: str | None
    rank: int | None
    description: str | None


class Named(NamedTuple):
    """Names of a process, or of a thread of it."""

    pid: int
    tid: int | None  # None: the process
    name: str | None
    labels: str | None
    sort_index: int | None
    priority: int  # of several, the names of the highest; of these, the last


@dataclass
class CounterState:
    """How values of a counter are recorded."""

    sequence: int
    multiplier: int = 1
    is_incremental: bool = False
    last: float = 0

    def value(self, recorded: float, sequence: int) -> float:
        """The value that a recorded one means."""
        recorded *= self.multiplier
        if self.is_incremental and sequence == self.sequence:
            recorded = self.last = self.last + recorded
        return recorded


@dataclass
class Tracks:
    """All that was described, and the number of each track that events are on."""

    numbers: dict[Key, int] = field(default_factory=dict)
    described: dict[int, Description] = field(default_factory=dict)
    named: list[Named] = field(default_factory=list)
    counters: dict[int, CounterState] = field(default_factory=dict)

    def number(self, key: Key) -> int:
        """The number of a track."""
        return self.numbers.setdefault(key, len(self.numbers))

    def describe(self, track: Any, sequence: int) -> None:
        """Stores a descriptor, a message of type Track."""
        kind, pid, tid, unit = _OTHER, None, None, None
        name = track.name or track.static_name or None
        name = None if name is None else text_of(name)
        if track.HasField("thread"):
            kind, pid, tid = _THREAD, track.thread.pid, track.thread.tid
            self.name_thread(track.thread)
        elif track.HasField("process"):
            kind, pid = _PROCESS, track.process.pid
        elif track.HasField("counter"):
            builtin = _BUILTIN.get(track.counter.type, (None, None))
            kind, name = _COUNTER, name or builtin[0]
            unit = text_of(track.counter.unit_name) or _UNITS.get(track.counter.unit, builtin[1])
            self._count(track, sequence)
        if track.HasField("process"):
            self.name_process(track.process)
        self.described[track.uuid] = Description(
            track.uuid,
            track.parent if track.HasField("parent") else None,
            kind,
            name,
            pid,
            tid,
            unit,
            track.rank if track.HasField("rank") else None,
            text_of(track.description) or None,
        )

    def _count(self, track: Any, sequence: int) -> None:
        counter = track.counter
        state = CounterState(sequence, counter.multiplier or 1, counter.is_incremental)
        if known := self.counters.get(track.uuid):
            state.last = known.last
        self.counters[track.uuid] = state

    def restart_counters(self, sequence: int) -> None:
        """Differences of counters begin at 0 again when the state of their sequence is new."""
        for state in self.counters.values():
            if state.is_incremental and state.sequence == sequence:
                state.last = 0

    def name_thread(self, thread: Any) -> None:
        """Stores the name of a thread, from a message of type Thread."""
        index = thread.sort_index if thread.HasField("sort_index") else None
        name = text_of(thread.name) or None
        self.named.append(Named(thread.pid, thread.tid, name, None, index, 1))

    def name_process(self, process: Any) -> None:
        """Stores the name of a process, from a message of type Process."""
        index = process.sort_index if process.HasField("sort_index") else None
        name = process.name or (process.command[0] if process.command else b"")
        labels = ",".join(map(text_of, process.labels)) or None
        self.named.append(Named(process.pid, None, text_of(name) or None, labels, index, 1))

    def name_tree(self, tree: Any) -> None:
        """Stores the names in a process tree, a message of type Tree."""
        for each in tree.processes:
            name = text_of(each.command[0]) if each.command else None
            self.named.append(Named(each.pid, None, name, None, None, 0))
        for each in tree.threads:
            self.named.append(Named(each.pid, each.tid, text_of(each.name) or None, None, None, 0))

    def tables(self) -> dict[str, pa.Table]:
        """The scratch tables `used_track`, `described` and `named`."""
        used = [(n, *key) for key, n in self.numbers.items()]
        return {
            "used_track": _table(_USED, used),
            "described": _table(_DESCRIBED, list(self.described.values())),
            "named": _table(_NAMED, [(n, *each) for n, each in enumerate(self.named)]),
        }


_USED = pa.schema(
    [
        ("source_track_n", pa.int64()),
        ("uuid", pa.uint64()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
        ("scope", pa.string()),
        ("id", pa.string()),
    ]
)
_DESCRIBED = pa.schema(
    [
        ("uuid", pa.uint64()),
        ("parent", pa.uint64()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
        ("unit", pa.string()),
        ("rank", pa.int64()),
        ("description", pa.string()),
    ]
)
_NAMED = pa.schema(
    [
        ("n", pa.int64()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
        ("name", pa.string()),
        ("labels", pa.string()),
        ("sort_index", pa.int64()),
        ("priority", pa.int64()),
    ]
)


def _table(schema: pa.Schema, rows: list[Any]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, each.type) for values, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
