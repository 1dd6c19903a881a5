"""Simulates a graph of work on resources, in the order of events.

A node is ready once all nodes before it have ended, and the delays of the edges have passed. A
resource serves its nodes one after another: by default in the order in which they become ready, or
those that wait by priority. Nodes of a slot hold their resource together: between the first and the
last of them it serves no node of another slot.

`simulate` is written for arrays, without objects: numba compiles it where it is installed (the
extra `fast`), and Python runs the same statements otherwise, with the same results.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.replay import heap as heaps
from warehouse.replay.heap import BEGIN, END, LAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


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
    n_done: int  # fewer than nodes if they wait for each other


def simulate(work: Work) -> Times:
    """Simulates the work from time 0."""
    n, n_resources = len(work.dur), len(work.is_by_priority)
    pair, n_left = _pairs(work)
    n_before = np.bincount(work.target, minlength=n).astype(np.int64)
    of_nodes, of_resources = (np.full(each, -1, np.int32) for each in (n, n_resources))
    arrays: list[Any] = [
        _first_nodes(work, n_before), work.dur, work.gap, work.release.copy(), _limited(work),
        work.priority, work.order, pair, work.is_by_priority, work.first_edge, work.target,
        work.delay, n_before, n_left, np.zeros(n_resources), of_resources, of_resources.copy(),
        of_resources.copy(), of_nodes, of_resources.copy(), of_nodes.copy(), of_nodes.copy(),
        np.full(n, np.nan), np.full(n, -1),
    ]  # fmt: skip
    compiled = _compiled()
    if compiled is None:  # lists are faster to index in Python, and hold the same numbers
        lists = [array.tolist() for array in arrays]
        n_done = _run([], *lists)
        arrays[3], arrays[-2] = (np.array(lists[each], np.float64) for each in (3, -2))
        arrays[-1] = np.array(lists[-1], np.int64)
    else:
        n_done = compiled(heaps.create(n, n_resources, work.priority, work.order), *arrays)
    ready, (start, cause) = arrays[3], arrays[-2:]
    queue = np.where(np.isnan(start), 0, start - ready)
    return Times(start, start + work.dur, queue, cause, n_done)


def _first_nodes(work: Work, n_before: Ints) -> Ints:
    """The nodes that wait for no other, in the order in which they are ready, between the ends.

    The heap holds the next of them at any time: all would make it slow.
    """
    first = np.flatnonzero(n_before == 0)
    keys = (work.order[first], work.priority[first], work.release[first])
    return np.concatenate([[BEGIN[3]], first[np.lexsort(keys)], [END[3]]])


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
    compile = njit(cache=True)
    push, pop = heaps.functions(compile, _bound)
    add = compile(_add)
    hand_over = compile(_bound(_hand_over, {"heappush": push}))
    take = compile(_bound(_take, {"_add": add}))
    calls = {"heappush": push, "heappop": pop, "_add": add, "_hand_over": hand_over, "_take": take}
    compiled: Callable[..., int] = compile(_bound(_run, calls))
    return compiled


def _bound(function: Any, calls: Mapping[str, Any]) -> FunctionType:
    """The same function, which calls others by the names of globals.

    Numba's cache finds what was compiled before only by types that are equal in each process:
    functions that were compiled are not, as arguments or in closures.
    """
    names = {**function.__globals__, **calls}
    return FunctionType(function.__code__, names, function.__name__)


def _run(  # type: ignore[no-untyped-def]
    heap, first_nodes, dur, gap, ready, resource, priority, order,
    pair, is_by_priority, first_edge, target, delay, n_before, n_left, free, last, holder, waiting,
    next_waiting, best, child, sibling, start, cause,
):  # fmt: skip
    """The loop of `simulate`; arrays and lists are changed in place. Returns how many nodes ran."""
    n, n_done, n_first, of_nodes = len(dur), 0, 0, (ready, priority, order, pair)
    heappush(heap, END)
    heappush(heap, BEGIN)
    while True:
        time, rank, _, node = heappop(heap)
        if node == first_nodes[n_first]:
            if node == END[3]:
                return n_done
            n_first += 1
            each = first_nodes[n_first]
            if each >= 0:
                heappush(heap, (ready[each], priority[each], order[each], each))
            if node == BEGIN[3]:
                continue
        if node >= n:  # a resource that serves by priority is free again
            node = _take(node - n, best, child, sibling, priority, ready, order)
        r = resource[node]
        if r >= 0:
            p = pair[node]
            if p >= 0 and holder[r] != p:
                if holder[r] >= 0:
                    next_waiting[node], waiting[r] = waiting[r], node
                    continue
                holder[r] = p
            if is_by_priority[r] == 1 and rank < LAST and (free[r] > time or best[r] >= 0):
                if best[r] < 0:
                    heappush(heap, (free[r], LAST, r, n + r))
                best[r] = _add(node, best[r], child, sibling, priority, ready, order)
                continue
            if free[r] > time:
                time = free[r]
            if time > ready[node] and last[r] >= 0:
                cause[node] = last[r]
        done = time + dur[node]
        start[node] = time
        n_done += 1
        if r >= 0:
            free[r], last[r] = done + gap[node], node
            if rank == LAST and best[r] >= 0:
                heappush(heap, (free[r], LAST, r, n + r))
            if p >= 0:
                n_left[p] -= 1
                if n_left[p] == 0:
                    _hand_over(heap, r, done, of_nodes, holder, waiting, next_waiting)
        for e in range(first_edge[node], first_edge[node + 1]):
            to = target[e]
            at = done + delay[e]
            if at > ready[to] or (cause[to] < 0 and at == ready[to]):
                ready[to], cause[to] = at, node
            n_before[to] -= 1
            if n_before[to] == 0:
                heappush(heap, (ready[to], priority[to], order[to], to))


def _hand_over(  # type: ignore[no-untyped-def]
    heap, r, done, of_nodes, holder, waiting, next_waiting
):
    """Passes a resource to the next slot: that of the waiting node that was ready first."""
    ready, priority, order, pair = of_nodes
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
            heappush(heap, (max(ready[each], done), priority[each], order[each], each))
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


def _take(r, best, child, sibling, priority, ready, order):  # type: ignore[no-untyped-def]
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
            pair = _add(second, each, child, sibling, priority, ready, order)
        sibling[pair], merged = merged, pair
        each = following
    remaining = -1
    while merged >= 0:
        following = sibling[merged]
        sibling[merged] = -1
        remaining = _add(merged, remaining, child, sibling, priority, ready, order)
        merged = following
    best[r] = remaining
    return root
