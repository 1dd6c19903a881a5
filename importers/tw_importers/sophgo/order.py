"""Sorts the records of one engine in the order of execution, on a clock without wraps.

A dump is the content of the device's buffer: a 32-bit counter that wraps every 4.3 s, 16-bit ids, a
ring whose oldest record can be in the middle, and SDMA records slightly out of order. Columns are
processed as a whole; loops only visit the few irregular positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tw_importers.sophgo.records import Ints, Monitor

_WRAP = 1 << 32
_HALF = 1 << 31
_LARGE_STEP = 1 << 24  # cycles: an engine that is late by more than this was not late, but wrapped
_ID_WRAP_FROM, _ID_WRAP, _ID_WRAP_TO = 65_000, 1 << 16, 1_000
_CANDIDATES = 4  # places tried as the seam of a ring that also wrapped


@dataclass
class Repairs:
    """Counts of repairs, stored with the import."""

    n_rings: int = 0
    n_counter_wraps: int = 0
    n_id_wraps: int = 0
    n_swapped: int = 0


def repair(monitor: Monitor, done: Repairs) -> Monitor:
    """The records of TIU, GDMA or SDMA in order, times and ids lifted over their wraps."""
    monitor = _unrolled(monitor, done)
    _lift_ids(monitor, done)
    if monitor.engine == "SDMA":
        monitor = monitor.take(_retire_order(monitor, done))
    _lift_times(monitor, done)
    if monitor.engine == "SDMA":
        monitor = monitor.take(_id_order(monitor, done))
    return monitor


def repair_cdma(monitor: Monitor, done: Repairs) -> Monitor:
    """The same for CDMA: sending and receiving overlap, so only a fall of both ends is a wrap."""
    _lift_ids(monitor, done)
    falls = np.zeros(len(monitor), bool)
    falls[1:] = (np.diff(monitor.start) < 0) & (np.diff(monitor.end) < 0)
    # A record of the other direction that ended a little earlier is not a wrap.
    falls[1:] &= np.diff(monitor.start) < -_LARGE_STEP
    epoch = np.cumsum(falls)
    is_across = monitor.end < monitor.start
    monitor.start = monitor.start + epoch * _WRAP
    monitor.end = monitor.end + (epoch + is_across) * _WRAP
    done.n_counter_wraps += int(falls.sum() + is_across.sum())
    return monitor


def near(monitor: Monitor, reference: Monitor) -> None:
    """Moves a stream by one wrap where that brings it to the other engine's: they share a counter.

    An engine whose first record came after the wrap looks as if it had run 4.3 s before.
    """
    if not len(monitor) or not len(reference):
        return
    first, last = int(reference.start[0]), int(reference.end.max())
    begin, end = int(monitor.start[0]), int(monitor.end.max())

    def gap(shift: int) -> tuple[int, int]:
        return max(begin + shift - last, first - end - shift, 0), abs(shift)

    shift = min((0, _WRAP, -_WRAP), key=gap)
    monitor.start, monitor.end = monitor.start + shift, monitor.end + shift


def _regressions(start: Ints, end: Ints) -> int:
    """The number of records that start before an earlier one ended."""
    return int((start[1:] < np.maximum.accumulate(end)[:-1]).sum())


def _unrolled(monitor: Monitor, done: Repairs) -> Monitor:
    """Undoes a lapped ring: the dump starts with the newest records, the oldest are in the middle.

    In time alone a wrapped counter looks the same. Across a wrap ids go on rising; across the seam
    of a ring they fall, and go on rising from the end of the dump to its beginning.
    """
    start, end = monitor.start, monitor.end
    if len(monitor) < 2 or _regressions(start, end) == 0:
        return monitor
    seam = int(np.argmin(start))
    if seam and _regressions(np.roll(start, -seam), np.roll(end, -seam)) == 0:
        seams = [seam]
    else:  # a ring whose records also wrapped, or disorder
        falls = np.flatnonzero(start[1:] < end[:-1]) + 1
        depth = end[falls - 1] - start[falls]
        seams = [int(n) for n in falls[np.argsort(-depth, kind="stable")][:_CANDIDATES]]
        seams = [n for n in seams if _is_monotone_rolled(start, end, n)]
    for seam in seams:
        if _is_ring(monitor, seam):
            done.n_rings += 1
            return monitor.take(np.roll(np.arange(len(monitor)), -seam))
    return monitor


def _is_monotone_rolled(start: Ints, end: Ints, seam: int) -> bool:
    lifted, _ = _lifted(np.roll(start, -seam), np.roll(end, -seam))
    return _regressions(*lifted) == 0


def _is_ring(monitor: Monitor, seam: int) -> bool:
    ids, start, end = monitor.id, monitor.start, monitor.end
    at_seam, at_ends = _step(ids[seam - 1], ids[seam]), _step(ids[-1], ids[0])
    if (at_seam > 0) != (at_ends > 0):
        return at_ends > 0
    if (at_seam == 1) != (at_ends == 1):
        return at_ends == 1
    # Ids restart at both places: the shorter recording is the likelier one.
    as_ring = int(start[0] - end[-1])
    as_wrap = int(start[seam] - end[seam - 1]) % _WRAP
    return 0 <= as_ring < as_wrap


def _step(before: int, after: int) -> int:
    """The difference of consecutive ids, across a wrap of the id if necessary."""
    if _ID_WRAP_FROM < before < _ID_WRAP and after < _ID_WRAP_TO:
        return int(after + _ID_WRAP - before)
    return int(after - before)


def _lift_ids(monitor: Monitor, done: Repairs) -> None:
    before, after = monitor.id[:-1], monitor.id[1:]
    wraps = (before > _ID_WRAP_FROM) & (before < _ID_WRAP) & (after < _ID_WRAP_TO)
    if wraps.any():
        lift = np.zeros(len(monitor), np.int64)
        lift[1:] = np.cumsum(wraps) * _ID_WRAP
        monitor.id = monitor.id + lift
        done.n_id_wraps += int(wraps.sum())


def _lifted(start: Ints, end: Ints) -> tuple[tuple[Ints, Ints], int]:
    """Times over the wraps of their counter, and how many wraps there were.

    A wrap lies between two records where the start falls, far, after the counter was in its upper
    half; and within one where it ends before it starts.
    """
    is_across = end < start
    falls = np.zeros(len(start), bool)
    falls[1:] = (start[1:] < start[:-1] - _LARGE_STEP) & (is_across[:-1] | (end[:-1] > _HALF))
    epoch = np.cumsum(falls)
    n_wraps = int(falls.sum() + is_across[-1:].sum())
    return (start + epoch * _WRAP, end + (epoch + is_across) * _WRAP), n_wraps


def _lift_times(monitor: Monitor, done: Repairs) -> None:
    (monitor.start, monitor.end), n_wraps = _lifted(monitor.start, monitor.end)
    done.n_counter_wraps += n_wraps


def _retire_order(monitor: Monitor, done: Repairs) -> Ints:
    """Neighbours of SDMA whose second one started first change places.

    One swap decides the next, so places are visited in order; only those that could swap are.
    """
    order = np.arange(len(monitor))
    start, end = monitor.start, monitor.end
    if len(order) < 3:
        return order
    could = (start[2:] < start[1:-1]) | (start[2:] > end[2:])
    waiting = sorted(int(n) + 1 for n in np.flatnonzero(could))
    at = 0
    while at < len(waiting):
        n = waiting[at]
        at += 1
        if n + 1 >= len(order):
            continue
        before, this, following = order[n - 1 : n + 2]
        gap, next_gap = start[this] - end[before], start[following] - end[before]
        if 0 < next_gap < gap or (gap < 0 < next_gap and start[following] > end[following]):
            order[n], order[n + 1] = following, this
            done.n_swapped += 1
            if at == len(waiting) or waiting[at] != n + 1:
                waiting.insert(at, n + 1)
    return order


def _id_order(monitor: Monitor, done: Repairs) -> Ints:
    """Neighbours of SDMA whose ids show that they were written in the wrong order change places."""
    order, ids = np.arange(len(monitor)), monitor.id
    # Sequential, as a swap decides the next; a fall of ids is rare.
    for fall in np.flatnonzero(ids[1:] < ids[:-1]):
        n = int(fall) + 1
        if ids[order[n]] >= ids[order[n - 1]]:
            continue
        if n >= 2 and ids[order[n]] - ids[order[n - 2]] == 1:
            order[[n - 1, n]] = order[[n, n - 1]]
            done.n_swapped += 1
        elif n + 1 < len(order) and ids[order[n + 1]] - ids[order[n - 1]] == 1:
            order[[n, n + 1]] = order[[n + 1, n]]
            done.n_swapped += 1
    return order
