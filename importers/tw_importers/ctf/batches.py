"""Decodes the events of several packets of a stream at once, by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tw_importers.ctf.columns import Ints, Members
from tw_importers.ctf.gather import PADDING, Data, Found, Gather
from tw_importers.ctf.packets import Packet
from tw_importers.ctf.tree import (
    EVENT_CLASS,
    TIME,
    Clock,
    EventClass,
    Integer,
    StreamClass,
    Variable,
)
from warehouse.errors import CorruptTrace

_LATEST = (1 << 63) - 1
_Unsigned = NDArray[np.uint64]


@dataclass
class Events:
    """Events of one class."""

    event: EventClass
    rows: Ints  # places among the events of the batch, ascending
    cycles: _Unsigned  # of the stream's clock
    header: Members
    common: Members
    context: Members
    payload: Members


class Batch:
    """Packets of one stream class, with the begins of their events."""

    def __init__(self, stream: StreamClass, alignment: int) -> None:
        self.stream = stream
        self._unit = max(alignment // 8, 8)  # packets begin at multiples of it
        self._packets: list[Packet] = []
        self._pieces: list[bytes] = []
        self._starts: list[Ints] = []
        self.n_bytes = 0

    @property
    def packets(self) -> Sequence[Packet]:
        return self._packets

    @property
    def counts(self) -> list[int]:
        """The numbers of events of the packets."""
        return [len(each) for each in self._starts]

    def add(self, packet: Packet, starts: Ints) -> None:
        self._packets.append(packet)
        self._starts.append(starts + self.n_bytes * 8)
        content = packet.data[: -(-packet.content_bits // 8)]
        self._pieces += [content, bytes(-len(content) % self._unit)]
        self.n_bytes += len(content) + len(self._pieces[-1])

    def decode(self) -> Iterator[Events]:
        """Returns the events of each class."""
        starts = np.concatenate([np.empty(0, np.int64), *self._starts])
        if not len(starts):
            return
        data = Data(b"".join([*self._pieces, bytes(PADDING)]))
        packet_of = np.repeat(np.arange(len(self._packets)), self.counts)
        gather = Gather(data, starts, lambda *field: self._packet_field(packet_of, *field))
        header = gather.scope("event-record-header", self.stream.header)
        n = len(starts)
        ids = _latest(gather.roles.get(EVENT_CLASS, []), n)[0]
        cycles = self._cycles(gather.roles.get(TIME, []), n)
        common = gather.scope("event-record-common-context", self.stream.context)
        order = np.argsort(ids, kind="stable")
        numbers, firsts = np.unique(ids[order], return_index=True)
        for number, rows in zip(numbers.tolist(), np.split(order, firsts[1:]), strict=True):
            yield self._events(gather, int(number), rows, cycles, header, common)

    def _events(
        self, gather: Gather, number: int, rows: Ints, cycles: _Unsigned, header: Members,
        common: Members,
    ) -> Events:  # fmt: skip
        event = self.stream.events.get(number)
        if event is None:
            raise CorruptTrace(f"events have the id {number}, which the metadata does not declare")
        inside = gather.subset(rows)
        context = inside.scope("event-record-specific-context", event.context)
        payload = inside.scope("event-record-payload", event.payload)
        return Events(event, rows, cycles[rows], header, common, context, payload)

    def _packet_field(self, packet_of: Ints, origin: str | None, name: str) -> NDArray[Any] | None:
        for scope in (origin,) if origin else ("packet-context", "packet-header"):
            values = [packet.scopes.get(scope, {}).get(name) for packet in self._packets]
            if all(isinstance(value, int) for value in values):
                return np.array(values, np.uint64)[packet_of]
        return None

    def _cycles(self, found: Sequence[Found], n: int) -> _Unsigned:
        """Full values of the clock, of which headers may hold the low bits only."""
        values, n_bits = _latest(found, n)
        cycles, first = np.zeros(n, np.uint64), 0
        for packet, count in zip(self._packets, self.counts, strict=True):
            last = first + count
            begin = packet.begin or 0
            if count:
                cycles[first:last] = unwrapped(begin, values[first:last], n_bits[first:last])
            first = last
        return cycles


def _latest(found: Sequence[Found], n: int) -> tuple[_Unsigned, Ints]:
    """The last value of a role in each event, and its number of bits; 0 and 0 without one."""
    values, n_bits = np.zeros(n, np.uint64), np.zeros(n, np.int64)
    for each in found:
        bits = each.kind.size if isinstance(each.kind, Integer) else 64
        assert isinstance(each.kind, Integer | Variable)
        rows = slice(None) if each.rows is None else each.rows
        values[rows] = each.values.astype(np.uint64)
        n_bits[rows] = bits
    return values, n_bits


def unwrapped(begin: int, values: _Unsigned, n_bits: Ints) -> _Unsigned:
    """Clock values whose low bits are given, each at least the one before.

    The first is at least `begin`; one of 64 bits replaces all before it. A run in which the bits
    never become more is one cumulative sum; each run continues from the last value before it.
    """
    result = np.empty(len(values), np.uint64)
    breaks = np.flatnonzero((n_bits[1:] > n_bits[:-1]) | (n_bits[1:] >= 64)) + 1
    current = begin
    masks = _masks(n_bits)
    # One by one: runs depend on each other. Most packets are one run.
    for first, last in zip([0, *breaks.tolist()], [*breaks.tolist(), len(values)], strict=True):
        bits, value = int(n_bits[first]), int(values[first])
        if bits >= 64:
            current = value
        elif bits:
            low = (1 << bits) - 1
            current = current + ((value - current) & low)
        steps = np.empty(last - first, np.uint64)
        steps[0] = current & ((1 << 64) - 1)
        steps[1:] = (values[first + 1 : last] - values[first : last - 1]) & masks[first + 1 : last]
        np.cumsum(steps, out=result[first:last])
        current = int(result[last - 1])
    return result


def _masks(n_bits: Ints) -> _Unsigned:
    shift = (64 - np.clip(n_bits, 1, 64)).astype(np.uint64)
    return np.where(n_bits > 0, np.uint64(_LATEST * 2 + 1) >> shift, np.uint64(0))


def nanoseconds(cycles: _Unsigned, clock: Clock | None) -> Ints:
    """Times on the clock's own axis; cycles where there is no clock."""
    bounded = np.minimum(cycles, np.uint64(_LATEST)).astype(np.int64)
    if clock is None or (clock.frequency == 1_000_000_000 and not clock.offset_ns):
        return bounded
    frequency, offset = clock.frequency, clock.offset_cycles
    if frequency == 1_000_000_000:
        times = bounded.astype(np.float64) + clock.offset_ns
        if len(times) and not (times.min() >= -9.2e18 and times.max() <= 9.2e18):
            return np.array([_bounded(int(c) + clock.offset_ns) for c in cycles], np.int64)
        return bounded + clock.offset_ns
    # In Python's integers: products of cycles and 10^9 exceed 64 bits. Clocks of other
    # frequencies than 1 GHz are rare.
    start = clock.offset_s * 1_000_000_000
    exact = [start + (int(c) + offset) * 1_000_000_000 // frequency for c in cycles.tolist()]
    return np.array([_bounded(each) for each in exact], np.int64)


def _bounded(value: int) -> int:
    return max(-_LATEST, min(_LATEST, value))
