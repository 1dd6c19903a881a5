"""Clusters of operators that can be computed as one: edges contracted where no cycle arises."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from tw_importers.dpro.layers import places

Edge = tuple[str, str]


@dataclass(frozen=True)
class Graph:
    """Operators in the order of their nodes, and which operators follow each."""

    operators: tuple[str, ...]
    followers: Mapping[str, frozenset[str]]
    saved_ns: Mapping[Edge, float]  # of edges that may be contracted
    layers: Mapping[str, int] = field(default_factory=dict)  # of operators that have one
    is_by_layer: bool = False  # whether a layer is fused wholly or not at all


class Clusters:
    """A partition of the operators of a graph; at first into layers, if these are fused wholly.

    A layer is not fused before an edge to or in it is contracted.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._cluster = {name: name for name in graph.operators}
        self._members = {name: frozenset([name]) for name in graph.operators}
        self._is_fused: set[str] = set()
        for first, second in _inside(graph) if graph.is_by_layer else ():
            self._join(self._cluster[first], self._cluster[second])

    def copy(self) -> Clusters:
        """An independent copy."""
        found = copy(self)
        found._cluster = dict(self._cluster)
        found._members = dict(self._members)
        found._is_fused = set(self._is_fused)
        return found

    def contract(self, edge: Edge, most: int | None = None, most_layers: int | None = None) -> bool:
        """Joins the clusters of both ends, unless that makes a cycle, or more than these limits."""
        first, second = (self._cluster[name] for name in edge)
        if first == second and first in self._is_fused:
            return False
        joined = self._members[first] | self._members[second]
        if most is not None and len(joined) > most:
            return False
        if most_layers is not None and self._n_layers(joined) > most_layers:
            return False
        if first != second and not self._join(first, second):
            return False
        self._is_fused.add(first)
        return True

    def _n_layers(self, names: Iterable[str]) -> int:
        layers = self._graph.layers
        return len({layers[name] for name in names if name in layers})

    def _join(self, first: str, second: str) -> bool:
        """Joins two clusters; False if that makes a cycle."""
        if first == second:
            return True
        if self._has_way_around(first, second):
            return False
        self._members[first] |= self._members.pop(second)
        self._cluster.update(dict.fromkeys(self._members[first], first))
        return True

    def fused(self) -> tuple[tuple[str, ...], ...]:
        """The clusters of several operators, and their members in order."""
        order = {name: n for n, name in enumerate(self._graph.operators)}
        found = [sorted(each, key=order.__getitem__) for each in self._members.values()]
        several = [
            tuple(each) for each in found
            if len(each) > 1 and self._cluster[each[0]] in self._is_fused
        ]  # fmt: skip
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


def _inside(graph: Graph) -> list[Edge]:
    """Edges that may be contracted between operators of one layer, as these follow one another."""
    place = places(graph.operators, graph.followers)
    layers = graph.layers
    found = [
        (first, second) for first, second in graph.saved_ns
        if first in layers and layers[first] == layers.get(second)
    ]  # fmt: skip
    return sorted(found, key=lambda edge: (place[edge[1]], -place[edge[0]]))


def contracted(
    start: Clusters,
    edges: Iterable[Edge],
    most: int | None = None,
    most_layers: int | None = None,
) -> Clusters:
    """The clusters after these edges are contracted in order, where that is possible."""
    found = start.copy()
    for edge in edges:
        found.contract(edge, most, most_layers)
    return found


def neighbouring(start: Clusters, graph: Graph, n_layers: int) -> Clusters:
    """Clusters of `n_layers` layers that follow one another, from the first layer on."""
    layers = graph.layers
    edges = [
        (first, second) for first, second in graph.saved_ns
        if first in layers and second in layers
        and layers[first] // n_layers == layers[second] // n_layers
    ]  # fmt: skip
    place = places(graph.operators, graph.followers)
    return contracted(start, sorted(edges, key=lambda edge: (place[edge[1]], -place[edge[0]])))


def saved_by_edge(
    uses: Iterable[tuple[str | None, tuple[str, ...], float]],
) -> dict[Edge, float]:
    """Time saved by contracting an edge alone; uses are producer, consumers, and time of a pass."""
    found: dict[Edge, float] = defaultdict(float)
    for producer, consumers, pass_ns in uses:
        for each in consumers:
            if producer is not None:
                found[producer, each] += pass_ns * (2 if len(consumers) == 1 else 1)
    return dict(found)
