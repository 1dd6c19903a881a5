"""Minimum cuts: the cheapest way to give each node one of two labels (Dinic's algorithm)."""

from __future__ import annotations

from collections import deque

#: A capacity that no cut exceeds.
UNLIMITED = 1 << 60


class Network:
    """Nodes from 0 on; a cut separates the nodes with the first label (source) from the others."""

    def __init__(self) -> None:
        """Creates the source and the sink."""
        self._edges: list[list[int]] = []  # of each node, numbers of its edges
        self._target: list[int] = []
        self._free: list[int] = []  # capacity left; edge n ^ 1 is the reverse of edge n
        self.source = self.node()
        self.sink = self.node()

    def node(self) -> int:
        """Adds a node."""
        self._edges.append([])
        return len(self._edges) - 1

    def connect(self, first: int, other: int, capacity: int) -> None:
        """A cut costs this much more if the first is on the side of the source, the other not."""
        for start, end, free in ((first, other, capacity), (other, first, 0)):
            self._edges[start].append(len(self._target))
            self._target.append(end)
            self._free.append(free)

    def cut(self) -> list[bool]:
        """For each node, whether it is on the side of the source; of equal cuts the smallest."""
        while True:
            distance = self._distances()
            if distance[self.sink] < 0:
                return [each >= 0 for each in distance]
            at = [0] * len(self._edges)
            while self._augment(distance, at):
                pass

    def _distances(self) -> list[int]:
        distance = [-1] * len(self._edges)
        distance[self.source] = 0
        queue = deque([self.source])
        while queue:
            node = queue.popleft()
            for edge in self._edges[node]:
                if self._free[edge] > 0 and distance[self._target[edge]] < 0:
                    distance[self._target[edge]] = distance[node] + 1
                    queue.append(self._target[edge])
        return distance

    def _augment(self, distance: list[int], at: list[int]) -> bool:
        """Sends what one path of shortest length takes; `at` skips edges that lead nowhere."""
        path: list[int] = []
        node = self.source
        while node != self.sink:
            edge = self._next(node, distance, at)
            if edge is not None:
                path.append(edge)
                node = self._target[edge]
            elif path:
                node = self._target[path.pop() ^ 1]
                at[node] += 1
            else:
                return False
        amount = min(self._free[edge] for edge in path)
        for edge in path:
            self._free[edge] -= amount
            self._free[edge ^ 1] += amount
        return True

    def _next(self, node: int, distance: list[int], at: list[int]) -> int | None:
        edges = self._edges[node]
        while at[node] < len(edges):
            edge = edges[at[node]]
            if self._free[edge] > 0 and distance[self._target[edge]] == distance[node] + 1:
                return edge
            at[node] += 1
        return None
