"""Clocks of a trace: timestamps of any of them in the clock of the trace.

A snapshot holds the times of several clocks at one instant; between snapshots clocks advance
equally. Ids from 64 to 127 belong to one sequence of packets. The clock of the trace is the one
that the first snapshot names, else BOOTTIME.

Format: protos/perfetto/trace/clock_snapshot.proto.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import Any

REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6
_FIRST_OF_SEQUENCE, _FIRST_GLOBAL = 64, 128
Key = tuple[int, int]  # sequence, or 0, and the id of the clock
_Times = tuple[list[int], list[int]]  # of two clocks, snapshot by snapshot, in ns


def key_of(clock: int, sequence: int) -> Key:
    """The clock that an id means in a sequence."""
    is_of_sequence = _FIRST_OF_SEQUENCE <= clock < _FIRST_GLOBAL
    return (sequence if is_of_sequence else 0), clock


class Clocks:
    """The snapshots that were read so far."""

    def __init__(self) -> None:
        self.trace: Key = (0, BOOTTIME)
        self.n_snapshots = 0
        self._times: dict[Key, dict[Key, _Times]] = defaultdict(dict)
        self._units: dict[Key, int] = {}  # ns, where it is not 1
        self._last: dict[Key, int] = {}  # ns, of clocks whose timestamps are differences
        self._paths: dict[Key, list[Key] | None] = {}

    def add(self, snapshot: Any, sequence: int) -> None:
        """Adds a snapshot, a message of type Clocks."""
        if not self.n_snapshots and snapshot.primary:
            self.trace = (0, snapshot.primary)
        self.n_snapshots += 1
        self._paths.clear()
        instant: dict[Key, int] = {}
        for clock in snapshot.clocks:
            key = key_of(clock.id, sequence)
            unit = self._units[key] = clock.unit_ns or 1
            instant[key] = clock.timestamp * unit
            if clock.is_incremental:
                self._last[key] = instant[key]
        for one, ns in instant.items():
            for other, other_ns in instant.items():
                if one != other:
                    times = self._times[one].setdefault(other, ([], []))
                    times[0].append(ns)
                    times[1].append(other_ns)

    def trace_time(self, key: Key, timestamp: int) -> int | None:
        """A timestamp as ns of the trace's clock; None if no snapshot relates the two."""
        ns = timestamp * self._units.get(key, 1)
        if key in self._last:
            ns = self._last[key] = self._last[key] + ns
        if key == self.trace:
            return ns
        path = self._path(key)
        if path is None:
            return None
        for clock in path:
            before, after = self._times[key][clock]
            n = max(bisect_right(before, ns) - 1, 0)
            ns += after[n] - before[n]
            key = clock
        return ns

    def _path(self, start: Key) -> list[Key] | None:
        """The clocks to go through to that of the trace, as few as possible."""
        if start not in self._paths:
            self._paths[start] = self._shortest(start)
        return self._paths[start]

    def _shortest(self, start: Key) -> list[Key] | None:
        paths: dict[Key, list[Key]] = {start: []}
        waiting = [start]
        for key in waiting:  # grows
            if key == self.trace:
                return paths[key]
            for other in self._times.get(key, ()):
                if other not in paths:
                    paths[other] = [*paths[key], other]
                    waiting.append(other)
        return None

    def epoch_ns(self) -> int:
        """Nanoseconds since the epoch at time 0 of the trace's clock; 0 if it is not known."""
        if self.trace == (0, REALTIME):
            return 0
        times = self._times.get(self.trace, {}).get((0, REALTIME))
        return times[1][0] - times[0][0] if times else 0
