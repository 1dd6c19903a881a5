"""dPRO's own replay, with its order of nodes; gives the times that dPRO gives.

The device whose time is least takes the first node of its queue, ordered by priority and by when
the node became ready. As devices are chosen by their own time rather than by that of the node, this
is not the order of events. Source: github.com/joapolarbear/dpro at ac5e4ed, dpro/replay.py.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

import numpy as np

from tw_importers.dpro import critical_path
from warehouse.replay.engine import Times, Work
from warehouse.replay.engines import Engine


def simulate(work: Work) -> Times:
    """Simulates the work as dPRO does; `order` breaks no ties, nodes are in dPRO's order."""
    return _Replay(work).run()


class _Replay:
    """The state of a replay. Loops run in Python: dPRO's graphs have thousands of nodes."""

    def __init__(self, work: Work) -> None:
        self.work = work
        n = len(work.dur)
        self.resource = _with_unlimited(work.resource)
        n_devices = max(self.resource, default=-1) + 1
        self.time = [0.0] * n_devices
        self.queues: list[list[tuple[int, float, int, int]]] = [[] for _ in range(n_devices)]
        self.blocked: list[list[tuple[int, float]]] = [[] for _ in range(n_devices)]
        self.holder = [-1] * n_devices
        self.ready = work.release.tolist()
        self.n_before = np.bincount(work.target, minlength=n).tolist()
        self.n_left: dict[tuple[int, int], int] = {}
        for device, slot in zip(self.resource, work.slot.tolist(), strict=True):
            self.n_left[device, slot] = self.n_left.get((device, slot), 0) + 1
        self.n_pushed = self.n_done = 0
        self.start, self.end = np.full(n, np.nan), np.full(n, np.nan)
        self.cause = np.full(n, -1)
        self.arrivals = _arrivals(work)
        self.n_arrived = dict.fromkeys((group for group, _ in self.arrivals.values()), 0)
        self.operations = _operations(self.arrivals)

    def run(self) -> Times:
        for node, n_before in enumerate(self.n_before):
            if not n_before:
                self._push(node, self.ready[node])
        while (device := self._next_device()) is not None:
            _, ready, _, node = heapq.heappop(self.queues[device])
            if not self._is_blocked(device, node, ready):
                self._serve(device, node, ready)
        queue = self.start - np.array(self.ready)
        return Times(self.start, self.end, queue, self.cause, self.n_done)

    def _push(self, node: int, ready: float) -> None:
        key = (int(self.work.priority[node]), ready, self.n_pushed, node)
        heapq.heappush(self.queues[self.resource[node]], key)
        self.n_pushed += 1

    def _next_device(self) -> int | None:
        """The device with work whose time is earliest; the first of several."""
        best = None
        for device, queue in enumerate(self.queues):
            if queue and (best is None or self.time[device] < self.time[best]):
                best = device
        return best

    def _is_blocked(self, device: int, node: int, ready: float) -> bool:
        slot = int(self.work.slot[node])
        if slot < 0 or self.holder[device] == slot:
            return False
        if self.holder[device] >= 0:
            self.blocked[device].append((node, ready))
            return True
        self.holder[device] = slot
        return False

    def _serve(self, device: int, node: int, ready: float) -> None:
        start = ready if self._is_unlimited(node) else max(ready, self.time[device])
        end = start + float(self.work.dur[node])
        self.start[node], self.end[node] = start, end
        self.time[device] = end + float(self.work.gap[node])
        self.n_done += 1
        self._release_slot(device, int(self.work.slot[node]))
        for edge in range(int(self.work.first_edge[node]), int(self.work.first_edge[node + 1])):
            target, at = self._target(edge), end + float(self.work.delay[edge])
            if at >= self.ready[target]:
                self.ready[target], self.cause[target] = at, node
            self.n_before[target] -= 1
            if not self.n_before[target]:
                self._push(target, self.ready[target])

    def _target(self, edge: int) -> int:
        """The node that an edge releases: pushes release the operations on a tensor in turn."""
        if edge not in self.arrivals:
            return int(self.work.target[edge])
        group, _ = self.arrivals[edge]
        target = self.operations[group][self.n_arrived[group]]
        self.n_arrived[group] += 1
        return target

    def _is_unlimited(self, node: int) -> bool:
        resource = int(self.work.resource[node])
        return resource < 0 or bool(self.work.is_unlimited[resource])

    def _release_slot(self, device: int, slot: int) -> None:
        """After the last node of a slot, one blocked node may try again, as ready as it was."""
        if slot < 0:
            return
        self.n_left[device, slot] -= 1
        if not self.n_left[device, slot]:
            self.holder[device] = -1
            if self.blocked[device]:
                self._push(*self.blocked[device].pop(0))


def _arrivals(work: Work) -> dict[int, tuple[int, int]]:
    """For each edge that is an arrival: the number of its tensor, and the recorded operation.

    Operations that are targets of arrivals and follow each other are those on one tensor.
    """
    edges = np.flatnonzero(work.is_arrival).tolist() if work.is_arrival is not None else []
    targets = {int(work.target[edge]) for edge in edges}
    follower = {
        node: int(work.target[edge])
        for node in targets
        for edge in range(int(work.first_edge[node]), int(work.first_edge[node + 1]))
        if int(work.target[edge]) in targets
    }
    group: dict[int, int] = {}
    for number, node in enumerate(sorted(targets - set(follower.values()))):
        each: int | None = node
        while each is not None and each not in group:
            group[each] = number
            each = follower.get(each)
    return {e: (group[int(work.target[e])], int(work.target[e])) for e in edges}


def _operations(arrivals: Mapping[int, tuple[int, int]]) -> dict[int, list[int]]:
    """The operations on each tensor, in the order of nodes, which is that of the server."""
    found: dict[int, list[int]] = {}
    for group, target in arrivals.values():
        found.setdefault(group, []).append(target)
    return {group: sorted(targets) for group, targets in found.items()}


def _with_unlimited(resources: np.ndarray) -> list[int]:
    """Devices by the first of their nodes; each node without a resource is a device by itself."""
    numbers: dict[int, int] = {}
    devices = []
    for n, resource in enumerate(resources.tolist()):
        key = resource if resource >= 0 else -1 - n
        devices.append(numbers.setdefault(key, len(numbers)))
    return devices


ENGINE = Engine(simulate, {"dpro_rules": True}, critical_path.length_ns)
