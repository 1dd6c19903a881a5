"""Finds a cycle among the dependencies of a graph, or shows that there is none.

Not SQL: a chain of 60 000 operators is a graph as deep as it is long, and a recursive query takes a
round for each level. Most graphs need no search at all, because every dependency leads from an
earlier node to a later one; that is one comparison of columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def cycle(n_nodes: int, before: Places, after: Places) -> list[int] | None:
    """A cycle as the places of its nodes, each before the next and the last before the first.

    `before[i]` must come before `after[i]`; both are places of nodes, 0 .. n_nodes - 1. None where
    an order exists that keeps all of them. The same graph gives the same cycle.
    """
    if not len(before) or bool((before < after).all()):
        return None
    left = _not_orderable(n_nodes, before, after)
    if not left.any():
        return None
    return _walk(left, before, after)


def _not_orderable(n_nodes: int, before: Places, after: Places) -> NDArray[np.bool_]:
    """Nodes that are left when those without a predecessor are taken away again and again.

    A loop over nodes: which one can go depends on all that went before it.
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
    """Backwards along dependencies among the nodes left, until one repeats: each has one."""
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
