"""The simulation of work on resources, beside one that looks at all nodes at every event."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.sharing import slow
from warehouse.replay.engine import Work, simulate


@dataclass
class Plan:
    """Work as lists: easier to make at random, and to simulate slowly."""

    dur: list[float]
    gap: list[float]
    release: list[float]
    resource: list[int]
    priority: list[int]
    slot: list[int]
    is_by_priority: list[int]
    edges: list[tuple[int, int, float]]

    def work(self) -> Work:
        edges = sorted(self.edges)
        n_edges = np.bincount([a for a, _, _ in edges], minlength=len(self.dur))
        return Work(
            dur=np.array(self.dur),
            gap=np.array(self.gap),
            release=np.array(self.release),
            resource=np.array(self.resource),
            priority=np.array(self.priority),
            order=np.arange(len(self.dur)),
            slot=np.array(self.slot),
            is_by_priority=np.array(self.is_by_priority, np.int64),
            is_unlimited=np.zeros(len(self.is_by_priority), np.int64),
            first_edge=np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64),
            target=np.array([b for _, b, _ in edges], np.int64),
            delay=np.array([d for _, _, d in edges], np.float64),
        )


def random_plan(seed: int) -> Plan:
    """Up to 40 nodes on up to 4 resources; times are whole, so that sums are exact."""
    r = random.Random(seed)
    n, n_resources = r.randrange(1, 40), r.randrange(1, 5)
    edges = {(a, b) for b in range(1, n) for a in r.sample(range(b), min(b, r.randrange(3)))}
    return Plan(
        dur=[float(r.randrange(20)) for _ in range(n)],
        gap=[float(r.choice([0, 0, 1, 5])) for _ in range(n)],
        release=[float(r.choice([0, 0, 0, 30])) for _ in range(n)],
        resource=[r.randrange(-1, n_resources) for _ in range(n)],
        priority=[r.randrange(3) for _ in range(n)],
        slot=[-1] * n,
        is_by_priority=[r.randrange(2) for _ in range(n_resources)],
        edges=[(a, b, float(r.choice([0, 0, 3]))) for a, b in edges],
    )


def slowly(plan: Plan) -> list[tuple[float, float]]:
    """Starts and ends: at each time, a free resource takes the first of the nodes that wait.

    First is the lowest priority where the resource serves by priority, then who was ready first,
    then, of nodes that became ready at one time, the lowest priority and number.
    """
    n = len(plan.dur)
    before: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for a, b, delay in plan.edges:
        before[b].append((a, delay))
    times: dict[int, tuple[float, float]] = {}
    free = [0.0] * len(plan.is_by_priority)
    while len(times) < n:
        best: tuple[float, tuple[float, ...], int] | None = None
        for node in set(range(n)) - times.keys():
            if any(a not in times for a, _ in before[node]):
                continue
            ready = max([plan.release[node], *(times[a][1] + d for a, d in before[node])])
            r = plan.resource[node]
            start = max(ready, free[r]) if r >= 0 else ready
            by_priority = r >= 0 and plan.is_by_priority[r]
            rank = plan.priority[node]
            key = (rank, ready, node) if by_priority else (ready, rank, node)
            if best is None or (start, key) < best[:2]:
                best = (start, key, node)
        assert best is not None
        start, _, node = best
        times[node] = (start, start + plan.dur[node])
        if plan.resource[node] >= 0:
            free[plan.resource[node]] = start + plan.dur[node] + plan.gap[node]
    return [times[node] for node in range(n)]


def positive(plan: Plan) -> Plan:
    """The same with work that takes time: of work that takes none, several orders are right."""
    return replace(plan, dur=[d + 1 for d in plan.dur])


@pytest.mark.parametrize("seeds", [range(150), slow(range(150, 5_000))], ids=["few", "many"])
def test_random_work_starts_and_ends_as_simulated_slowly(seeds: range) -> None:
    for seed in seeds:
        plan = positive(random_plan(seed))

        times = simulate(plan.work())

        assert times.n_done == len(plan.dur)
        found = list(zip(times.start.tolist(), times.end.tolist(), strict=True))
        assert found == slowly(plan), seed


@pytest.mark.integration
def test_a_slot_holds_its_resource_from_its_first_node_to_its_last() -> None:
    # slot 0: nodes 0 and 2, with a node on no resource in between; slot 1: node 1, ready at 1
    plan = Plan(
        dur=[10, 5, 10, 20], gap=[0] * 4, release=[0, 1, 0, 0], resource=[0, 0, 0, -1],
        priority=[0] * 4, slot=[0, 1, 0, -1], is_by_priority=[0],
        edges=[(0, 3, 0.0), (3, 2, 0.0)],
    )  # fmt: skip

    times = simulate(plan.work())

    assert times.start.tolist() == [0, 40, 30, 10]
    assert times.queue.tolist() == [0, 39, 0, 0]


def test_nodes_of_a_cycle_never_run() -> None:
    plan = Plan([1, 1, 1], [0] * 3, [0] * 3, [-1] * 3, [0] * 3, [-1] * 3, [0],
                [(0, 1, 0.0), (1, 2, 0.0), (2, 1, 0.0)])  # fmt: skip

    times = simulate(plan.work())

    assert times.n_done == 1
    assert np.isnan(times.start[1:]).all()


def test_the_cause_of_a_start_is_the_node_that_was_waited_for() -> None:
    # 0 and 1 share a resource; 2 depends on both
    plan = Plan([5, 7, 1], [0] * 3, [0] * 3, [0, 0, -1], [0] * 3, [-1] * 3, [0],
                [(0, 2, 0.0), (1, 2, 0.0)])  # fmt: skip

    times = simulate(plan.work())

    assert times.start.tolist() == [0, 5, 12]
    assert times.cause.tolist() == [-1, 0, 1]


@pytest.mark.slow
def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    program = (
        "import numpy as np; from warehouse.replay.engine import Work, simulate; "
        "n = np.zeros(1, np.int64); z = np.zeros(1); simulate("
        "Work(z, z, z, n - 1, n, n, n - 1, n, n, np.zeros(2, np.int64), n[:0], z[:0]))"
    )
    files = []
    for _ in range(2):
        subprocess.run(
            [sys.executable, "-c", program], check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        files.append({each.name: each.stat().st_mtime_ns for each in tmp_path.rglob("*.nb?")})

    assert files[0] == files[1] != {}
