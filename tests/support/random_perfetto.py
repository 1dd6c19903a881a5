"""Random Perfetto traces: several sequences, clocks, interned texts, losses, counters and flows.

Times of two events are never equal, but for the end of a slice and the begin of the next: what
trace_processor does with instants at one time depends on their order, see docs/formats.md.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, field
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    DebugAnnotation,
    Trace,
    TracePacket,
)

CLEARED, NEEDS_STATE = 1, 2
BOOTTIME, MONOTONIC, OWN, DELTAS = 6, 3, 64, 65  # ids of clocks
THREADS, PLAIN, COUNTERS = (11, 12, 13), (21, 22, 23), (31, 32, 33)  # uuids of tracks
NAMES = ("forward", "backward", "all_reduce", "über 'quoted' \\", "", "step\n2")
CATEGORIES = ("cpu_op", "kernel", "a b")


def random_trace(seed: int) -> bytes:
    """The bytes of a trace."""
    return _Writer(random.Random(seed)).write()


@dataclass
class _Sequence:
    """What was interned on a sequence, and the time its own clock of differences is at."""

    id: int
    has_state: bool = False
    interned: dict[tuple[str, str], int] = field(default_factory=dict)
    default_track: int | None = None
    ns: int = 0


class _Writer:
    def __init__(self, random: random.Random) -> None:
        self.random = random
        self.trace = Trace()
        self.now = 1_000_000  # ns of BOOTTIME
        self.sequences = [_Sequence(id) for id in (1, 2, 3)]
        self.depth: dict[int, int] = {}
        self.flows: list[int] = []
        self.used_flows = 0

    def write(self) -> bytes:
        self.clocks(self.sequences[0])
        self.tracks()
        for sequence in self.sequences:
            self.clear(sequence)
        self.start_old()
        for _ in range(self.random.randint(20, 120)):
            self.step()
        packets = list(self.trace.packet)
        if self.random.random() < 0.3:
            packets = self.compressed(packets)
        return bytes(Trace(packet=packets).SerializeToString())

    def compressed(self, packets: list[Any]) -> list[Any]:
        n = self.random.randrange(len(packets))
        content = zlib.compress(Trace(packet=packets[n:]).SerializeToString())
        return [*packets[:n], TracePacket(compressed_packets=content)]

    def add(self, sequence: _Sequence) -> Any:
        packet = self.trace.packet.add()
        packet.trusted_packet_sequence_id = sequence.id
        return packet

    def clocks(self, sequence: _Sequence) -> None:
        snapshot = self.add(sequence).clock_snapshot
        sequence.ns = self.now
        drift = self.random.randint(-50, 50)
        times = ((BOOTTIME, self.now), (MONOTONIC, self.now - 500_000 + drift))
        for clock, ns in times:
            snapshot.clocks.add(clock_id=clock, timestamp=ns)
        snapshot.clocks.add(clock_id=OWN, timestamp=self.now // 1000, unit_multiplier_ns=1000)
        snapshot.clocks.add(clock_id=DELTAS, timestamp=self.now, is_incremental=True)

    def tracks(self) -> None:
        process = self.add(self.sequences[0]).track_descriptor
        process.uuid, process.process.pid, process.process.process_name = 10, 100, "python"
        for n, uuid in enumerate(THREADS):
            thread = self.add(self.sequences[0]).track_descriptor
            thread.uuid, thread.parent_uuid = uuid, 10
            thread.thread.pid, thread.thread.tid = 100, 100 + n
            thread.thread.thread_name = f"thread {n}"
        for uuid, parent in zip(PLAIN, (0, 10, 11), strict=True):
            track = self.add(self.sequences[0]).track_descriptor
            track.uuid, track.name = uuid, f"track {uuid}"
            if parent:
                track.parent_uuid = parent
        for n, uuid in enumerate(COUNTERS):
            track = self.add(self.sequences[0]).track_descriptor
            track.uuid, track.parent_uuid, track.name = uuid, 10, f"counter {uuid}"
            track.counter.unit_multiplier = n + 1
            track.counter.is_incremental = uuid == 33  # its values are all on sequence 1

    def clear(self, sequence: _Sequence) -> None:
        """Declares the state of a sequence new, often with a default track and clock."""
        sequence.interned.clear()
        sequence.has_state, sequence.default_track = True, None
        packet = self.add(sequence)
        packet.sequence_flags = CLEARED
        if self.random.random() < 0.5:
            sequence.default_track = self.random.choice(THREADS + PLAIN)
            packet.trace_packet_defaults.track_event_defaults.track_uuid = sequence.default_track

    def step(self) -> None:
        sequence = self.random.choice(self.sequences)
        self.now += self.random.randint(1, 5) * 1000
        chance = self.random.random()
        if chance < 0.03:
            packet = self.add(sequence)
            packet.previous_packet_dropped = 1
            sequence.has_state = False
        elif chance < 0.08:
            self.clear(sequence)
        elif chance < 0.11:
            self.clocks(self.sequences[0])
        elif chance < 0.25:
            self.counter(self.sequences[0])
        elif chance < 0.35:
            self.old_event()
        else:
            self.slice(sequence)

    def event(self, sequence: _Sequence, uuid: int | None) -> Any:
        packet = self.add(sequence)
        packet.sequence_flags = NEEDS_STATE
        self.stamp(packet, sequence)
        event = packet.track_event
        if uuid is not None:
            event.track_uuid = uuid
        return event

    def stamp(self, packet: Any, sequence: _Sequence) -> None:
        packet.timestamp = self.now
        if self.random.random() < 0.3 and sequence.id == 1:
            packet.timestamp_clock_id = self.random.choice((MONOTONIC, OWN))
            packet.timestamp = {MONOTONIC: self.now - 500_000, OWN: self.now // 1000}[
                packet.timestamp_clock_id
            ]

    def counter(self, sequence: _Sequence) -> None:
        event = self.event(sequence, uuid := self.random.choice(COUNTERS))
        event.type = event.TYPE_COUNTER
        if self.random.random() < 0.5 and uuid != 33:
            event.double_counter_value = self.random.randint(-64, 64) / 8
        else:
            event.counter_value = self.random.randint(-100, 10**12)

    def slice(self, sequence: _Sequence) -> None:
        uuid = self.random.choice((*THREADS, *PLAIN, None, 99))
        event = self.event(sequence, uuid)
        place = uuid if uuid is not None else sequence.default_track or 0
        is_lost = not sequence.has_state
        if self.depth.get(place, 0) and self.random.random() < 0.5:
            event.type = event.TYPE_SLICE_END
            self.depth[place] -= not is_lost
        else:
            is_instant = self.random.random() < 0.15
            event.type = event.TYPE_INSTANT if is_instant else event.TYPE_SLICE_BEGIN
            self.depth[place] = self.depth.get(place, 0) + (not is_instant and not is_lost)
            self.describe(sequence, event)
            self.flow(event)
        if self.random.random() < 0.5:
            self.annotate(event)
        if self.random.random() < 0.1:
            event.extra_counter_track_uuids.append(31)
            event.extra_counter_values.append(self.random.randint(0, 9))

    def start_old(self) -> None:
        """Begins a sequence whose events are of one thread, and have phases and differences."""
        self.old = _Sequence(4, has_state=True)
        packet = self.add(self.old)
        packet.sequence_flags = CLEARED
        thread = packet.thread_descriptor
        thread.pid, thread.tid, thread.thread_name = 200, 201, "old"
        thread.reference_timestamp_us = (self.now - 500_000) // 1000  # MONOTONIC
        self.old.ns = self.now

    def old_event(self) -> None:
        packet = self.add(self.old)
        packet.sequence_flags = NEEDS_STATE
        event, old = packet.track_event, packet.track_event.legacy_event
        event.timestamp_delta_us = (self.now - self.old.ns) // 1000
        self.old.ns = self.now
        phase = self.random.choice("BEXIbben")
        event.categories.append("old")
        old.phase = ord(phase)
        if phase != "E":
            event.name = self.random.choice(("a", "b")) if phase not in "ben" else "async"
        if phase == "X":
            old.duration_us = 0
        if phase in "ben":
            old.unscoped_id = self.random.randint(1, 2)
        if self.random.random() < 0.3:
            event.debug_annotations.add(name="nested").nested_value.CopyFrom(self.nested(0))

    def nested(self, depth: int) -> Any:
        value = DebugAnnotation.NestedValue()
        kind = self.random.randrange(6 if depth < 2 else 4)
        if kind == 0:
            value.int_value = self.random.randint(-99, 99)
        elif kind == 1:
            value.double_value = self.random.randint(-99, 99) / 4
        elif kind == 2:
            value.bool_value = True
        elif kind == 3:
            value.string_value = "text"
        elif kind == 4:
            value.nested_type = value.DICT
            value.dict_keys.extend(("one", "two"))
            value.dict_values.extend(self.nested(depth + 1) for _ in range(2))
        else:
            value.nested_type = value.ARRAY
            value.array_values.extend(self.nested(depth + 1) for _ in range(2))
        return value

    def describe(self, sequence: _Sequence, event: Any) -> None:
        name, category = self.random.choice(NAMES), self.random.choice(CATEGORIES)
        if self.random.random() < 0.5:
            event.name = name
            event.categories.append(category)
        else:
            event.name_iid = self.intern(sequence, "event_names", name)
            event.category_iids.append(self.intern(sequence, "event_categories", category))

    def intern(self, sequence: _Sequence, kind: str, text: str) -> int:
        """The number of a text, defined in a packet before the event."""
        key = (kind, text)
        if key not in sequence.interned:
            sequence.interned[key] = len(sequence.interned) + 1
            packet = TracePacket(trusted_packet_sequence_id=sequence.id)
            added = getattr(packet.interned_data, kind).add(iid=sequence.interned[key])
            setattr(added, *(("str", text.encode()) if "values" in kind else ("name", text)))
            last = self.trace.packet.pop()
            self.trace.packet.extend([packet, last])
        return sequence.interned[key]

    def flow(self, event: Any) -> None:
        if self.random.random() < 0.3:
            self.used_flows += 1
            self.flows.append(self.used_flows)
            event.flow_ids.append(self.used_flows)
        elif self.flows and self.random.random() < 0.4:
            flow = self.random.choice(self.flows)
            if self.random.random() < 0.5:
                self.flows.remove(flow)
                event.terminating_flow_ids.append(flow)
            else:
                event.flow_ids.append(flow)

    def annotate(self, event: Any) -> None:
        name = "end" if event.type == event.TYPE_SLICE_END else "arg"
        for n in range(self.random.randint(1, 3)):
            annotation = event.debug_annotations.add(name=f"{name} {n}")
            self.value(annotation, depth=0)

    def value(self, annotation: Any, depth: int) -> None:
        kind = self.random.randrange(9 if depth < 2 else 6)
        if kind == 0:
            annotation.int_value = self.random.randint(-(2**62), 2**62)
        elif kind == 1:
            annotation.uint_value = self.random.randint(0, 2**63 - 1)
        elif kind == 2:
            annotation.double_value = self.random.randint(-100, 100) / 8
        elif kind == 3:
            annotation.bool_value = self.random.random() < 0.5
        elif kind in (4, 5):
            annotation.string_value = self.random.choice(("kernel", "ß", "x" * 40))
        elif kind in (6, 7):
            for n in range(self.random.randint(1, 3)):
                entry = annotation.dict_entries.add(name=f"key{n}")
                self.value(entry, depth + 1)
        else:
            for _ in range(self.random.randint(1, 3)):
                self.value(annotation.array_values.add(), depth + 1)
