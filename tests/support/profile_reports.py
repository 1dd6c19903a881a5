"""What reports of a random profile must have, by search over all records in plain Python."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from tests.support.profile_oracle import Interval, Key, Oracle, key
from tests.support.random_profile import Range, Work

#: Prefixes of names of ranges, by domain.
DOMAINS = ["", "lib:", "MARKER_CORE_RANGE_API:"]
Sums = dict[object, tuple[int, int]]  # number and sum of durations


def range_name(each: Range) -> str:
    return DOMAINS[each.domain] + each.name


def shown(call: str) -> str:
    """The name of a call in reports of nsys, without a version of four digits."""
    return re.sub(r"_v\d{4}$", "", call)


def sums(pairs: Iterable[tuple[object, int]]) -> Sums:
    found: dict[object, list[int]] = defaultdict(list)
    for name, dur in pairs:
        found[name].append(dur)
    return {name: (len(durs), sum(durs)) for name, durs in found.items()}


def call_sums(oracle: Oracle) -> Sums:
    calls = oracle.profile.recorded_calls
    return sums((shown(call.name), call.end - call.start) for call in calls)


def kernel_sums(oracle: Oracle) -> Sums:
    kernels = (work for work in oracle.profile.works if work.kind == "kernel")
    return sums((work.name, work.end - work.start) for work in kernels)


def kernels_by_range(oracle: Oracle) -> dict[tuple[object, ...], tuple[int, int, int]]:
    """By range, style, process, thread and kernel: ranges, kernels and the sum over both."""
    found: dict[tuple[object, ...], list[tuple[Range | None, int, int]]] = defaultdict(list)
    for mark, work in oracle.marks():
        if work.kind != "kernel":
            continue
        call = oracle.launches.get(mark)
        place = (call.pid, call.tid) if call else (None, None)
        owners: list[Range | None] = [*oracle.owners(mark)]
        for each in owners or [None]:
            name = (range_name(each), each.style) if each else (None, None)
            found[(*name, *place, work.name)].append((each, mark, work.end - work.start))
    return {
        group: (
            len({id(each) for each, _, _ in rows if each}),
            len({mark for _, mark, _ in rows}),
            sum(dur for _, _, dur in rows),
        )
        for group, rows in found.items()
    }


class Projection(NamedTuple):
    start_ns: int
    dur_ns: int
    range_ns: int
    n_device_ops: int
    n_calls: int
    level: int
    n_children: int


def projections(oracle: Oracle) -> dict[Key, Projection]:
    """Ranges with work, from the start of the first to the end of the last."""
    works: dict[Key, list[int]] = defaultdict(list)
    by_key = {key(each): each for each in oracle.profile.ranges}
    for mark, _ in oracle.marks():
        for each in oracle.owners(mark):
            works[key(each)].append(mark)
    parents = {place: parent(oracle, each) for place, each in by_key.items()}
    found = {}
    for place, marks in works.items():
        mine = [oracle.profile.works[mark - 1] for mark in marks]
        level, at = 0, parents[place]
        while at is not None:
            level, at = level + 1, parents[key(at)]
        children = [
            child for child in works if (above := parents[child]) and key(above) == place
        ]  # fmt: skip
        first = min(work.start for work in mine)
        found[place] = Projection(
            first,
            max(work.end for work in mine) - first,
            oracle.end(by_key[place]) - by_key[place].start,
            len(mine),
            len({key(oracle.launches[mark]) for mark in marks}),
            level,
            len(children),
        )
    return found


def parent(oracle: Oracle, child: Range) -> Range | None:
    """The shortest range of the thread around it; of equally long ones the last to begin."""
    around = [
        each for each in oracle.profile.ranges
        if each is not child and (each.pid, each.tid) == (child.pid, child.tid)
        and each.end_tid is None and child.end_tid is None
        and each.start <= child.start and oracle.end(each) >= oracle.end(child)
    ]  # fmt: skip
    return min(around, key=lambda each: (oracle.end(each) - each.start, -each.start), default=None)


class Stretch(NamedTuple):
    start_ns: int
    dur_ns: int
    n_chunks: int
    used_share: Fraction


def low_use(
    work: list[Interval], busy: list[Interval], chunks: int, max_share: Fraction
) -> set[Stretch]:
    """Adjacent chunks of the time of `work` that are used less than the share by `busy`."""
    first, last = min(a for a, _ in work), max(b for _, b in work)
    size = -((first - last) // chunks)
    found: list[tuple[int, int, int, int]] = []  # start, end, used, number of chunks
    for start in range(first, last, size):
        end = min(start + size, last)
        used = sum(max(min(b, end) - max(a, start), 0) for a, b in busy)
        if Fraction(used, end - start) >= max_share:
            continue
        if found and found[-1][1] == start:
            before = found.pop()
            found.append((before[0], end, before[2] + used, before[3] + 1))
        else:
            found.append((start, end, used, 1))
    return {Stretch(a, b - a, n, Fraction(used, b - a)) for a, b, used, n in found}


def work_of_devices(works: Iterable[Work]) -> dict[tuple[int, int], list[Interval]]:
    """When each process uses each device."""
    found: dict[tuple[int, int], list[Interval]] = defaultdict(list)
    for work in works:
        found[work.stream.pid, work.stream.device].append((work.start, work.end))
    return found
