"""Simulates a graph of work on resources, in the order of events.

A node is ready once all nodes before it have ended, and the delays of the edges have passed. A
resource serves its nodes one after another: by default in the order in which they become ready, or
those that wait by priority. Nodes of a slot hold their resource together: between the first and the
last of them it serves no node of another slot.

`simulate` is written for arrays, without objects: numba compiles it where it is installed (the
extra `fast`), and Python runs the same statements otherwise, with the same results.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: Why a node did not start earlier.
CAUSE_RELEASE, CAUSE_EDGE, CAUSE_RESOURCE, CAUSE_SLOT = range(4)
_LAST = 1 << 30  # behind all nodes that become ready at one time
CAUSES = ("release", "edge", "resource", "slot")


@dataclass(frozen=True)
class Work:
    """Nodes and edges as arrays; -1 stands for none. Times are nanoseconds.

    `first_edge` has one entry more than there are nodes: edges of node n are
    `first_edge[n]:first_edge[n + 1]`.
    """

    dur: Floats
    gap: Floats  # the resource stays in use after the end
    release: Floats  # not before this time
    resource: Ints  # of unlimited capacity: -1
    priority: Ints  # lower comes first
    order: Ints  # of nodes that are ready at one time
    slot: Ints
    is_by_priority: Ints  # of each resource: 1 or 0
    is_unlimited: Ints  # of each resource, 1: serves any number of nodes at once
    first_edge: Ints
    target: Ints
    delay: Floats
    #: Of each edge, 1: recorded as the order of arrival, which engines may decide again.
    is_arrival: Ints | None = None


@dataclass(frozen=True)
class Times:
    """When each node starts and ends, how long it waits, and what it starts after."""

    start: Floats
    end: Floats
    queue: Floats
    cause: Ints  # the node that ended last before it
    cause_kind: Ints
    n_done: int  # fewer than nodes if they wait for each other


def simulate(work: Work) -> Times:
    """Simulates the work from time 0."""
    n, n_resources = len(work.dur), len(work.is_by_priority)
    start, end, queue = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n)
    cause, cause_kind = np.full(n, -1), np.zeros(n, np.int64)
    n_before = np.bincount(work.target, minlength=n).astype(np.int64)
    pair, n_left = _pairs(work)
    arrays: list[Any] = [
        work.dur, work.gap, work.release.copy(), _limited(work), work.priority, work.order, pair,
        work.is_by_priority, work.first_edge, work.target, work.delay, n_before, n_left,
        np.zeros(n_resources), np.full(n_resources, -1), np.full(n_resources, -1),
        np.full(n_resources, -1), np.full(n, -1), np.full(n_resources, -1), np.full(n, -1),
        np.full(n, -1), start, end, queue, cause, cause_kind,
    ]  # fmt: skip
    compiled = _compiled()
    if compiled is None:  # lists are faster to index in Python, and hold the same numbers
        lists = [array.tolist() for array in arrays]
        n_done = _LOOP(*_PARTS, *lists)
        start, end, queue = (np.array(each, np.float64) for each in lists[-5:-2])
        cause, cause_kind = (np.array(each, np.int64) for each in lists[-2:])
    else:
        n_done = compiled(*arrays)
    return Times(start, end, queue, cause, cause_kind, n_done)


def _limited(work: Work) -> Ints:
    """The resource of each node, if it serves one node at a time."""
    is_free = np.append(work.is_unlimited, 1)[work.resource] == 1
    return np.where(is_free, -1, work.resource)


def _pairs(work: Work) -> tuple[Ints, Ints]:
    """Numbers of the pairs of slot and resource, and how many nodes each has."""
    is_in_slot = (work.slot >= 0) & (_limited(work) >= 0)
    pair = np.full(len(work.dur), -1)
    keys = np.stack([work.slot[is_in_slot], work.resource[is_in_slot]], axis=1)
    _, numbers, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    pair[is_in_slot] = numbers.reshape(-1)
    return pair, counts.astype(np.int64)


@lru_cache(maxsize=1)
def _compiled() -> Callable[..., int] | None:
    """The simulation compiled by numba, if that is installed."""
    try:
        from numba import njit
    except ImportError:
        return None
    parts = [njit(cache=True)(each) for each in _PARTS]
    return partial(njit(cache=True)(_LOOP), *parts)


def _run(  # type: ignore[no-untyped-def]
    hand_over, add, take, dur, gap, ready, resource, priority, order, pair, is_by_priority,
    first_edge, target, delay, n_before, n_left, free, last, holder, waiting, next_waiting, best,
    child, sibling, start, end, queue, cause, cause_kind,
):  # fmt: skip
    """The loop of `simulate`; arrays and lists are changed in place. Returns how many nodes ran."""
    n, n_done = len(dur), 0
    heap = [(0.0, 0, 0, 0)]
    heap.pop()
    for node in range(n):
        if n_before[node] == 0:
            heapq.heappush(heap, (ready[node], priority[node], order[node], node))
    while len(heap) > 0:
        time, rank, _, node = heapq.heappop(heap)
        if node >= n:  # a resource that serves by priority is free again
            node = take(add, node - n, best, child, sibling, priority, ready, order)
        r = resource[node]
        if r >= 0:
            p = pair[node]
            if p >= 0 and holder[r] != p:
                if holder[r] >= 0:
                    next_waiting[node], waiting[r] = waiting[r], node
                    continue
                holder[r] = p
            if is_by_priority[r] == 1 and rank < _LAST and (free[r] > time or best[r] >= 0):
                if best[r] < 0:
                    heapq.heappush(heap, (free[r], _LAST, r, n + r))
                best[r] = add(node, best[r], child, sibling, priority, ready, order)
                continue
            time = max(time, free[r])
            if time > ready[node] and last[r] >= 0:
                cause[node] = last[r]
                cause_kind[node] = 2 if p < 0 else 3
        done = time + dur[node]
        start[node], queue[node], end[node] = time, time - ready[node], done
        n_done += 1
        if r >= 0:
            free[r], last[r] = done + gap[node], node
            if rank == _LAST and best[r] >= 0:
                heapq.heappush(heap, (free[r], _LAST, r, n + r))
            if p >= 0:
                n_left[p] -= 1
                if n_left[p] == 0:
                    hand_over(
                        heap, r, done, ready, priority, order, pair, holder, waiting, next_waiting
                    )
        for e in range(first_edge[node], first_edge[node + 1]):
            to = target[e]
            at = done + delay[e]
            if at > ready[to] or (cause[to] < 0 and at == ready[to]):
                ready[to], cause[to], cause_kind[to] = at, node, 1
            n_before[to] -= 1
            if n_before[to] == 0:
                heapq.heappush(heap, (ready[to], priority[to], order[to], to))
    return n_done


def _hand_over(  # type: ignore[no-untyped-def]
    heap, r, done, ready, priority, order, pair, holder, waiting, next_waiting
):
    """Gives a resource to the next slot: of the nodes that wait, that of the first to be ready."""
    first, each = -1, waiting[r]
    while each >= 0:
        if first < 0 or (ready[each], order[each]) < (ready[first], order[first]):
            first = each
        each = next_waiting[each]
    holder[r] = pair[first] if first >= 0 else -1
    each, waiting[r] = waiting[r], -1
    while each >= 0:
        following = next_waiting[each]
        if pair[each] == holder[r]:
            heapq.heappush(heap, (max(ready[each], done), priority[each], order[each], each))
        else:
            next_waiting[each], waiting[r] = waiting[r], each
        each = following


# Nodes that wait for a resource by priority are a pairing heap in arrays (Fredman et al., 1986):
# `best` is the root of each resource, `child` the first child of a node, `sibling` the next one.
def _add(node, root, child, sibling, priority, ready, order):  # type: ignore[no-untyped-def]
    """Merges two heaps; returns the root."""
    if root < 0:
        return node
    if (priority[root], ready[root], order[root], root) < (
        priority[node], ready[node], order[node], node,
    ):  # fmt: skip
        sibling[node], child[root] = child[root], node
        return root
    sibling[root], child[node] = child[node], root
    return node


def _take(add, r, best, child, sibling, priority, ready, order):  # type: ignore[no-untyped-def]
    """Removes the root of a resource's heap, and merges its children in two passes; returns it."""
    root = best[r]
    each, merged = child[root], -1
    child[root] = -1
    while each >= 0:
        second = sibling[each]
        following = sibling[second] if second >= 0 else -1
        sibling[each] = -1
        pair = each
        if second >= 0:
            sibling[second] = -1
            pair = add(second, each, child, sibling, priority, ready, order)
        sibling[pair], merged = merged, pair
        each = following
    remaining = -1
    while merged >= 0:
        following = sibling[merged]
        sibling[merged] = -1
        remaining = add(merged, remaining, child, sibling, priority, ready, order)
        merged = following
    best[r] = remaining
    return root


# Parts of the loop are its arguments, so that each can be compiled.
_LOOP: Any = _run
_PARTS: tuple[Any, ...] = (_hand_over, _add, _take)
