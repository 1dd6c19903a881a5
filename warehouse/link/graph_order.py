"""Finds a cycle among the dependencies of a graph, if there is one.

Python rather than SQL: a chain of 60,000 operators is as deep as it is long, and a recursive query
takes one iteration per level. Most graphs need no search, because every dependency leads from an
earlier to a later node, which one comparison of columns shows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def cycle(n_nodes: int, before: Places, after: Places) -> list[int] | None:
    """Returns the nodes of a cycle in order, or None if the graph is acyclic.

    Edge i leads from node `before[i]` to node `after[i]`, both in 0 .. n_nodes - 1. The same graph
    gives the same cycle.
    """
    if not len(before) or bool((before < after).all()):
        return None
    left = _not_orderable(n_nodes, before, after)
    if not left.any():
        return None
    return _walk(left, before, after)


def _not_orderable(n_nodes: int, before: Places, after: Places) -> NDArray[np.bool_]:
    """Returns the nodes left after removing nodes without predecessors repeatedly (Kahn).

    A loop over nodes: each removal depends on the earlier ones.
    """
    by_source = np.argsort(before, kind="stable")
    successors = after[by_source].tolist()
    starts = np.searchsorted(before[by_source], np.arange(n_nodes + 1)).tolist()
    n_waiting = np.bincount(after, minlength=n_nodes).tolist()
    free = [node for node in range(n_nodes) if not n_waiting[node]]
    while free:
        node = free.pop()
        for successor in successors[starts[node] : starts[node + 1]]:
            n_waiting[successor] -= 1
            if not n_waiting[successor]:
                free.append(successor)
    return np.array(n_waiting) > 0


def _walk(left: NDArray[np.bool_], before: Places, after: Places) -> list[int]:
    """Walks backward among the remaining nodes, which all have a predecessor, until one repeats."""
    is_inside = left[before] & left[after]
    predecessor: dict[int, int] = {}
    for source, target in zip(before[is_inside].tolist(), after[is_inside].tolist(), strict=True):
        predecessor[target] = min(source, predecessor.get(target, source))
    node, seen = min(predecessor), dict[int, int]()
    path: list[int] = []
    while node not in seen:
        seen[node] = len(path)
        path.append(node)
        node = predecessor[node]
    path = path[seen[node] :][::-1]
    first = path.index(min(path))
    return path[first:] + path[:first]
