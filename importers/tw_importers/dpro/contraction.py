"""Clusters of operators that can be computed as one: edges contracted where no cycle arises."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

Edge = tuple[str, str]


@dataclass(frozen=True)
class Graph:
    """Operators in the order of their nodes, and which operators follow each."""

    operators: tuple[str, ...]
    followers: Mapping[str, frozenset[str]]
    saved_ns: Mapping[Edge, float]  # of edges that may be contracted


class Clusters:
    """A partition of the operators of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._cluster = {name: name for name in graph.operators}
        self._members = {name: frozenset([name]) for name in graph.operators}

    def copy(self) -> Clusters:
        """An independent copy."""
        found = Clusters(self._graph)
        found._cluster = dict(self._cluster)
        found._members = dict(self._members)
        return found

    def contract(self, edge: Edge, most: int | None = None) -> bool:
        """Joins the clusters of both ends, unless that makes a cycle or more than `most`."""
        first, second = (self._cluster[name] for name in edge)
        if first == second:
            return False
        joined = self._members[first] | self._members[second]
        if most is not None and len(joined) > most:
            return False
        if self._has_way_around(first, second):
            return False
        self._members[first] = joined
        del self._members[second]
        self._cluster.update(dict.fromkeys(joined, first))
        return True

    def fused(self) -> tuple[tuple[str, ...], ...]:
        """The clusters of several operators, and their members in order."""
        order = {name: n for n, name in enumerate(self._graph.operators)}
        found = [sorted(each, key=order.__getitem__) for each in self._members.values()]
        several = [tuple(each) for each in found if len(each) > 1]
        return tuple(sorted(several, key=lambda each: order[each[0]]))

    def _has_way_around(self, first: str, second: str) -> bool:
        """Whether one of the clusters reaches the other by way of a third."""
        return self._reaches(first, second) or self._reaches(second, first)

    def _reaches(self, start: str, end: str) -> bool:
        seen = {start}
        waiting = [each for each in self._after(start) if each != end]
        while waiting:
            cluster = waiting.pop()
            if cluster == end:
                return True
            if cluster not in seen:
                seen.add(cluster)
                waiting += self._after(cluster)
        return False

    def _after(self, cluster: str) -> Iterator[str]:
        for name in self._members[cluster]:
            for each in self._graph.followers.get(name, ()):
                if self._cluster[each] != cluster:
                    yield self._cluster[each]


def contracted(graph: Graph, edges: Iterable[Edge], most: int | None = None) -> Clusters:
    """The clusters after these edges are contracted in order, where that is possible."""
    found = Clusters(graph)
    for edge in edges:
        found.contract(edge, most)
    return found


def saved_by_edge(
    uses: Iterable[tuple[str | None, tuple[str, ...], float]],
) -> dict[Edge, float]:
    """What contracting an edge alone saves: uses are producer, consumers, and time of a pass."""
    found: dict[Edge, float] = defaultdict(float)
    for producer, consumers, pass_ns in uses:
        for each in consumers:
            if producer is not None:
                found[producer, each] += pass_ns * (2 if len(consumers) == 1 else 1)
    return dict(found)
