"""A heap in arrays, which numba compiles: what heapq is for tuples in Python.

An item is (time, priority, order, node), of which times and nodes are stored; priority and order
are looked up where times are equal. The heap is a tuple: times, nodes, its size in an array of one
number, priorities and orders of nodes. Numbers behind those of nodes stand for resources.
"""

# The functions have no annotations: numba infers the types of what they are called with.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Behind all nodes that become ready at one time: resources that are free again.
LAST = 1 << 30
#: Before and behind all others: the begin and the end of the simulation.
BEGIN, END = (float("-inf"), -1, 0, -2), (float("inf"), LAST + 1, 0, -1)


def create(
    n: int, n_resources: int, priority: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[Any, ...]:
    """An empty heap for all nodes and resources at once, and the ends."""
    size = n + n_resources + 2
    return np.empty(size), np.empty(size, np.int32), np.zeros(1, np.int64), priority, order


def push(heap, item):
    """Adds an item, as heapq.heappush."""
    times, nodes, size, priority, order = heap
    time, node = item[0], item[3]
    hole = size[0]
    size[0] += 1
    while hole > 0:
        parent = (hole - 1) >> 2
        other = times[parent]
        if other < time or (
            other == time and not _is_tie_before(node, nodes[parent], priority, order)
        ):
            break
        times[hole], nodes[hole] = other, nodes[parent]
        hole = parent
    times[hole], nodes[hole] = time, node


def pop(heap):
    """Removes and returns the smallest item, as heapq.heappop."""
    times, nodes, size, priority, order = heap
    first_time, first = times[0], nodes[0]
    size[0] -= 1
    n = size[0]
    time, node = times[n], nodes[n]
    hole = 0
    while True:
        child = 4 * hole + 1
        if child >= n:
            break
        best, best_time = child, times[child]
        for each in range(child + 1, min(child + 4, n)):
            if times[each] < best_time or (
                times[each] == best_time
                and _is_tie_before(nodes[each], nodes[best], priority, order)
            ):
                best, best_time = each, times[each]
        if time < best_time or (
            time == best_time and _is_tie_before(node, nodes[best], priority, order)
        ):
            break
        times[hole], nodes[hole] = best_time, nodes[best]
        hole = best
    times[hole], nodes[hole] = time, node
    n_nodes = len(priority)
    if first < 0:
        return END if first == END[3] else BEGIN
    if first >= n_nodes:
        return first_time, LAST, first - n_nodes, first
    return first_time, priority[first], order[first], first


def _is_tie_before(a, b, priority, order):
    """Whether of two nodes that are ready at one time the first comes first."""
    n = len(priority)
    if a < 0 or b < 0:
        return b < 0 and a >= 0
    if a >= n or b >= n:
        return a < b
    if priority[a] != priority[b]:
        return priority[a] < priority[b]
    if order[a] != order[b]:
        return order[a] < order[b]
    return a < b


def functions(compile, bound):
    """Compiled push and pop; `bound` gives a function other functions to call, by their names."""
    calls = {"_is_tie_before": compile(_is_tie_before)}
    return compile(bound(push, calls)), compile(bound(pop, calls))
