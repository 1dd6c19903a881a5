"""What queries of a random profile must return, by search over all records in plain Python.

Times are those of the file. Work is named by its mark (its place in the profile, from 1), calls and
ranges by process, thread and start.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tests.support.random_profile import Call, Profile, Range, Stream, Work

Key = tuple[int, int, int]  # process, thread, start
Interval = tuple[int, int]
OVERHEADS = {
    "CUDA profiling data flush overhead", "CUDA profiling stop overhead", "CUDA profiling overhead",
}  # fmt: skip


def key(record: Call | Range) -> Key:
    return record.pid, record.tid, record.start


class Oracle:
    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.launches = self._launches()
        self.last_range_ns = max(
            (max(each.start, each.end or 0) for each in profile.ranges), default=0
        )

    def _launches(self) -> dict[int, Call]:
        """The call of each piece of work: of several of its process with its id the last before."""
        calls: dict[tuple[int, int], list[Call]] = defaultdict(list)
        for call in sorted(self.profile.recorded_calls, key=lambda call: call.start):
            calls[call.pid, call.correlation].append(call)
        found = {}
        for mark, work in self.marks():
            mine = calls[work.stream.pid, work.call.correlation]
            before = [call for call in mine if call.start <= work.start]
            if mine:
                found[mark] = before[-1] if before else mine[0]
        return found

    def marks(self) -> Iterator[tuple[int, Work]]:
        return iter(enumerate(self.profile.works, 1))

    def waits(self) -> dict[Key, set[int]]:
        """For each call that waited, the work that released it; of several any of equal end."""
        found = {}
        for call in self.profile.recorded_calls:
            marks = self._waited(call) if call.wait_kind else self._copied(call)
            ends = [self.profile.works[mark - 1].end for mark in marks]
            if ends:
                found[key(call)] = {
                    mark for mark, end in zip(marks, ends, strict=True) if end == max(ends)
                }
        return found

    def _waited(self, call: Call) -> list[int]:
        """Work launched before the call that ended after its start, the last of each stream.

        Without a record, only the process is known, and work that ended after the call does not
        count.
        """
        streams: dict[Stream, list[int]] = defaultdict(list)
        for mark, work in self.marks():
            launched = self.launches[mark].start if mark in self.launches else work.start
            is_meant = (
                work.stream in call.waits_for if call.has_record else work.stream.pid == call.pid
            )
            if is_meant and launched <= call.start:
                streams[work.stream].append(mark)
        found = []
        for marks in streams.values():
            last = max(marks, key=lambda mark: self.profile.works[mark - 1].end)
            end = self.profile.works[last - 1].end
            if end > call.start and (call.has_record or end <= call.end):
                found.append(last)
        return found

    def _copied(self, call: Call) -> list[int]:
        is_blocking = "Memcpy" in call.name and "Async" not in call.name
        return [
            mark for mark, cause in self.launches.items()
            if cause is call
            and (work := self.profile.works[mark - 1]).kind == "memcpy"
            and (is_blocking or work.is_pageable)
            and work.end <= call.end
        ]  # fmt: skip

    def end(self, each: Range) -> int:
        """A range that never ended lasts until the last time of a range."""
        return self.last_range_ns if each.end is None else each.end

    def owners(self, mark: int) -> list[Range]:
        """Ranges around the call, on its thread; those that end on another own nothing."""
        call = self.launches.get(mark)
        return [
            each for each in self.profile.ranges
            if call is not None
            and (each.pid, each.tid) == (call.pid, call.tid)
            and each.end_tid is None
            and each.start <= call.start and self.end(each) >= call.end
        ]  # fmt: skip

    def streams(self) -> dict[Stream, list[Interval]]:
        found: dict[Stream, list[Interval]] = defaultdict(list)
        for work in self.profile.works:
            found[work.stream].append((work.start, work.end))
        return found

    def idle_ns(self) -> dict[Stream, int]:
        sums = {
            stream: sum(b - a for a, b in gaps(mine)) for stream, mine in self.streams().items()
        }
        return {stream: idle for stream, idle in sums.items() if idle}

    def queues(self) -> dict[Stream, tuple[int, int]]:
        """For each stream the number of operations with a call, and the most queued at once."""
        changes: dict[Stream, list[tuple[int, int]]] = defaultdict(list)
        for mark, call in self.launches.items():
            work = self.profile.works[mark - 1]
            changes[work.stream] += [(min(call.start, work.start), 1), (work.start, -1)]
        found = {}
        for stream, mine in changes.items():
            length = longest = 0
            for _, group in itertools.groupby(sorted(mine), key=lambda change: change[0]):
                length += sum(difference for _, difference in group)
                longest = max(longest, length)
            found[stream] = (len(mine) // 2, longest)
        return found

    def overheads(self, pid: int, work: list[Interval]) -> list[Interval]:
        """The profiler's overhead in a process, strictly between its first and last operation."""
        first, last = min(a for a, _ in work), max(b for _, b in work)
        return [
            (each.start, each.end) for each in self.profile.overheads
            if each.pid == pid and each.name in OVERHEADS
            and each.start > first and each.end < last
        ]  # fmt: skip


def union(intervals: Iterable[Interval]) -> list[Interval]:
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def gaps(intervals: Iterable[Interval]) -> list[Interval]:
    return [(a[1], b[0]) for a, b in itertools.pairwise(union(intervals))]
