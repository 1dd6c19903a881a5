"""The critical path of dPRO's replay: the longest path through the graph and the order of devices.

A dependency costs the duration of its first node, and the gap between their kinds; two nodes that
follow each other on a device cost the time between their starts. So the path ends with the start of
its last node. Source: github.com/joapolarbear/dpro at ac5e4ed, dpro/replay.py and dag_utils.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from warehouse.replay.engine import Times, Work


def length_ns(work: Work, times: Times, names: Sequence[str]) -> float:
    """Length of the critical path. Loops run in Python: dPRO's graphs have thousands of nodes."""
    edges = dict(_dependencies(work, names))
    for (u, v), cost in _following(work, times, names):
        edges.setdefault((u, v), cost)
    after: dict[int, list[tuple[int, float]]] = {}
    n_before = [0] * len(names)
    for (u, v), cost in edges.items():
        after.setdefault(u, []).append((v, cost))
        n_before[v] += 1
    longest = [0.0] * len(names)
    ready = [n for n, before in enumerate(n_before) if not before]
    while ready:
        u = ready.pop()
        for v, cost in after.get(u, ()):
            longest[v] = max(longest[v], longest[u] + cost)
            n_before[v] -= 1
            if not n_before[v]:
                ready.append(v)
    return max(longest, default=0.0)


def _dependencies(work: Work, names: Sequence[str]) -> Iterator[tuple[tuple[int, int], float]]:
    for u in range(len(names)):
        for e in range(int(work.first_edge[u]), int(work.first_edge[u + 1])):
            v = int(work.target[e])
            is_comm = "->Comm." in names[u], "->Comm." in names[v]
            cost = float(work.dur[u])
            if is_comm[0] == is_comm[1]:
                cost += float(work.gap[u])
            if is_comm == (False, True) or (
                ".PUSH_RES~>" in names[u] and ".PULL_REQ~>" in names[v]
            ):
                cost += float(work.delay[e])
            yield (u, v), cost


def _following(
    work: Work, times: Times, names: Sequence[str]
) -> Iterator[tuple[tuple[int, int], float]]:
    """Nodes that follow each other on a device, besides a backward operator and an update."""
    last: dict[int, int] = {}
    for v in np.lexsort((np.arange(len(names)), times.end, times.start)).tolist():
        resource = int(work.resource[v])
        if resource < 0 or work.is_unlimited[resource]:
            continue
        u = last.get(resource)
        last[resource] = v
        if u is not None and not ("->BW." in names[u] and "->UPDATE_" in names[v]):
            yield (u, v), float(times.start[v] - times.start[u])
