"""Encodes batches of events as Perfetto trace packets.

A packet is `Trace.packet`: timestamp, sequence id, track event, flags. Packets are on one
sequence, whose first one declares the interning state new, until its strings take much memory: then
another sequence begins. Field numbers:
protos/perfetto/trace/trace_packet.proto and protos/perfetto/trace/track_event/track_event.proto.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.export import wire

if TYPE_CHECKING:
    from warehouse.export.perfetto.interning import InternedStrings

SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4  # TrackEvent.Type
FLOW_IDS, TERMINATING_FLOW_IDS = b"\xf9\x02", b"\x81\x03"  # fixed64 fields 47 and 48

_PACKET = b"\x0a"  # Trace.packet
_TIMESTAMP = b"\x40"
_SEQUENCE, _EVENT = b"\x50", b"\x5a"  # trusted_packet_sequence_id, track_event
_NEEDS_INTERNED = b"\x68\x02"  # sequence_flags = SEQ_NEEDS_INCREMENTAL_STATE
_CLEARED = 1  # SEQ_INCREMENTAL_STATE_CLEARED
_CATEGORY, _TYPE, _NAME, _TRACK = b"\x18", b"\x48", b"\x50", b"\x58"
_DOUBLE_VALUE = b"\xe1\x02"  # double_counter_value

Numbers = NDArray[np.int64]


@dataclass
class Tracks:
    """The track_uuid fields of events, encoded once per uuid."""

    fields: wire.Column  # field of uuid i at row i

    @classmethod
    def upto(cls, last: int) -> Tracks:
        return cls(wire.join(_TRACK, wire.varints(np.arange(last + 1, dtype=np.uint64))))

    def of(self, uuids: Numbers) -> wire.Column:
        return self.fields.take(pa.array(uuids))


def begins(
    sequence: int,
    times: Numbers,
    types: Numbers,
    track: wire.Column,
    category: wire.Column,
    name: wire.Column,
    annotations: list[wire.Column],
    flows: list[wire.Column],
) -> wire.Column:
    """Returns a packet per slice begin or instant, by `types`."""
    kinds = wire.literals([_TYPE + bytes([kind]) for kind in range(4)]).take(pa.array(types))
    return packets(sequence, times, [category, *annotations, kinds, name, track, *flows])


def ends(
    sequence: int, times: Numbers, track: wire.Column, flows: list[wire.Column]
) -> wire.Column:
    """Returns a packet per slice end."""
    return packets(sequence, times, [_TYPE + bytes([SLICE_END]), track, *flows])


def counters(
    sequence: int, times: Numbers, track: wire.Column, values: NDArray[np.float64]
) -> wire.Column:
    """Returns a packet per counter value."""
    value = wire.fixed64(values, tag=_DOUBLE_VALUE)
    return packets(sequence, times, [_TYPE + bytes([COUNTER]), track, value])


def packets(sequence: int, times: Numbers, fields: list[wire.Column | bytes]) -> wire.Column:
    """Encodes TrackEvents as packets; fields are passed separately, to be copied once."""
    stamps = wire.varints(times.view(np.uint64))
    sequence_and_event = _SEQUENCE + wire.varint(sequence) + _EVENT
    sizes = np.zeros(len(times), np.int64)
    for field in fields:
        sizes += len(field) if isinstance(field, bytes) else wire.lengths_of(field)
    event_lengths = wire.varints(sizes.view(np.uint64))
    fixed = len(_TIMESTAMP) + len(sequence_and_event) + len(_NEEDS_INTERNED)
    total = fixed + sizes + wire.lengths_of(stamps) + wire.lengths_of(event_lengths)
    return wire.join(
        _PACKET,
        wire.varints(total.view(np.uint64)),
        _TIMESTAMP,
        stamps,
        sequence_and_event,
        event_lengths,
        *fields,
        _NEEDS_INTERNED,
    )


def flow_fields(lists: Any, tag: bytes) -> wire.Column:
    """Encodes a list<int64> column as repeated fixed64 fields; none for a null list."""
    ids = lists.values.to_numpy(zero_copy_only=False)
    offsets = lists.offsets.to_numpy().astype(np.int64)
    return wire.regroup(wire.fixed64(ids.astype(np.int64).view(np.uint64), tag=tag), offsets)


def opening(sequence: int) -> bytes:
    """Returns the packet that starts a sequence."""
    packet = _new_packet(sequence)
    packet.sequence_flags = _CLEARED
    packet.first_packet_on_sequence = True
    return _framed(packet)


def descriptor(track: Any) -> bytes:
    """Returns the packet of a track descriptor."""
    packet = _new_packet(1)
    packet.track_descriptor.CopyFrom(track)
    return _framed(packet)


def definitions(sequence: int, kinds: list[InternedStrings]) -> bytes:
    """Returns a packet with new interned strings; empty if there are none."""
    packet = _new_packet(sequence)
    packet.sequence_flags = 2
    found = [kind.define(packet.interned_data) for kind in kinds]
    return _framed(packet) if any(found) else b""


def _new_packet(sequence: int) -> Any:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket

    return TracePacket(trusted_packet_sequence_id=sequence)


def _framed(packet: Any) -> bytes:
    body: bytes = packet.SerializeToString()
    return _PACKET + wire.varint(len(body)) + body
