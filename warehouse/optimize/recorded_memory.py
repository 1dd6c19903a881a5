"""Reads the calls and the lifetimes of storages of the run that a search of memory plans."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.errors import QueryError
from warehouse.optimize.lifetimes import Life, Lifetimes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warehouse.query.session import Session

#: Device of the host, whose memory counts only where no other has tensors.
_HOST = "cpu"
_CALLS = """
SELECT c.place, c.side, p.place AS parent, c.is_operator, coalesce(c.self_ns, 0)
FROM memory_call() AS c
LEFT JOIN memory_call() AS p ON p.graph_node_id = c.parent_id
WHERE c.graph_id = $graph_id::BIGINT
ORDER BY c.place, c.side
"""
_USES = """
SELECT device, storage_id, life, place, bytes, is_birth, is_written
FROM memory_accumulated(p_batches := $batches::BIGINT, p_is_accumulated := $is_accumulated::BOOLEAN)
WHERE graph_id = $graph_id::BIGINT
ORDER BY device, storage_id, life, place
"""


@dataclass(frozen=True)
class Calls:
    """The calls of a graph in order; `ranges` are operators that no operator contains."""

    host_ns: NDArray[np.int64]  # time before each place
    device_ns: NDArray[np.int64]
    starts: tuple[int, ...]  # the operator around each place
    ends: tuple[int, ...]  # after its last call

    def cost_ns(self, start: int, end: int) -> int:
        """About the time of the calls of a range: that of the host, or of devices if longer."""
        host = self.host_ns[end] - self.host_ns[start]
        return int(max(host, self.device_ns[end] - self.device_ns[start]))


@dataclass(frozen=True)
class Recorded:
    """The graph, and the storages of the device whose memory is planned."""

    graph_id: int
    device: str
    calls: Calls
    lifetimes: Lifetimes

    def divided(self, session: Session, batches: int, *, is_accumulated: bool) -> Recorded:
        """The same if the batch of a step is divided (`memory_accumulated`)."""
        lives = _read_lives(session, self.graph_id, batches, is_accumulated=is_accumulated)
        return replace(self, lifetimes=Lifetimes(lives[self.device], self.lifetimes.n_places))


def read(session: Session) -> Recorded:
    """Reads the graph that the replay of the run knows; raises QueryError if it is not one."""
    found: list[Any] = session.run("SELECT DISTINCT graph_id FROM memory_node() ORDER BY 1").rows()
    if len(found) > 1:
        raise QueryError(
            f"the run has {len(found)} graphs with tensors, of several ranks or traces",
            hint="Choose one with --rank or --trace.",
        )
    ((graph_id,),) = found
    calls = _calls(session.run(_CALLS, {"graph_id": graph_id}).rows())
    lives = _read_lives(session, graph_id, 1, is_accumulated=True)
    n_places = len(calls.starts)
    of_device = {device: Lifetimes(found, n_places) for device, found in lives.items()}
    planned = [device for device in of_device if device != _HOST] or list(of_device)
    device = max(planned, key=lambda each: of_device[each].plan().peak)
    return Recorded(graph_id, device, calls, of_device[device])


def _read_lives(
    session: Session, graph_id: int, batches: int, *, is_accumulated: bool
) -> dict[str, list[Life]]:
    """The lifetimes by device."""
    known = {"graph_id": graph_id, "batches": batches, "is_accumulated": is_accumulated}
    return _lives(session.run(_USES, known).rows())


def _calls(rows: list[Any]) -> Calls:
    """Times by place, and the outermost operators."""
    n = 1 + max(place for place, *_ in rows)
    times = {"host": np.zeros(n + 1, np.int64), "device": np.zeros(n + 1, np.int64)}
    parents: list[int | None] = [None] * n
    is_operator = [False] * n
    for place, side, parent, is_one, self_ns in rows:
        times[side][place + 1] += self_ns
        if side == "host":
            parents[place], is_operator[place] = parent, is_one
    last = list(range(n))
    for place in reversed(range(n)):
        parent = parents[place]
        if parent is not None:
            last[parent] = max(last[parent], last[place])
    starts: list[int] = []
    for place, parent in enumerate(parents):
        around = None if parent is None or parent >= place else starts[parent]
        is_inside = around is not None and is_operator[around]
        starts.append(around if around is not None and is_inside else place)
    ends = tuple(last[start] + 1 if is_operator[start] else start + 1 for start in starts)
    return Calls(np.cumsum(times["host"]), np.cumsum(times["device"]), tuple(starts), ends)


def _lives(rows: list[Any]) -> dict[str, list[Life]]:
    """The lifetimes by device."""
    of_life: dict[tuple[str, int, int], list[Any]] = defaultdict(list)
    for device, storage_id, life, *use in rows:
        of_life[device, storage_id, life].append(use)
    found: dict[str, list[Life]] = defaultdict(list)
    for (device, _, life), uses in of_life.items():
        found[device].append(
            Life(
                bytes=max((size or 0 for _, size, *_ in uses), default=0),
                is_produced=any(is_birth for _, _, is_birth, _ in uses),
                uses=tuple(place for place, *_ in uses),
                writes=tuple(place for place, *_, is_written in uses if is_written),
                is_sum=life < 0,
            )
        )
    return found
