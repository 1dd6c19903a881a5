"""A consumer of Chakra files: what ASTRA-sim 2 does with one, as far as it can fail.

Facts: astra-sim/workload/Workload.cc and Chakra's feeder v3. Nodes run when their data dependencies
have; metadata declares process groups; a collective wants a known kind and group.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import dataclass, field

from tests.support.chakra_wire import Graph, Node

METADATA, COMP, SEND, RECV, COLL = 1, 4, 5, 6, 7
SIMULATED = {0, 2, 5, 6, 7}  # all-reduce, all-gather, broadcast, all-to-all, reduce-scatter


@dataclass
class Run:
    """What a simulation of one rank went through."""

    rank: int
    n_run: int = 0
    types: Counter[int] = field(default_factory=Counter)
    collectives: list[tuple[int, int, str]] = field(default_factory=list)  # kind, bytes, group
    messages: list[tuple[int, int, int, int]] = field(default_factory=list)  # src, dst, tag, bytes
    host_ns: int = 0
    device_ns: int = 0


def simulate(graph: Graph, rank: int = 0) -> Run:
    """Runs every node; an AssertionError is what stops the simulator."""
    run = Run(rank)
    groups: dict[int, list[int]] = {}
    by_id = {node.id: node for node in graph.nodes}
    assert len(by_id) == len(graph.nodes)
    waiting = {node.id: len({*node.data}) for node in graph.nodes}
    behind: dict[int, list[int]] = {}
    for node in graph.nodes:
        for dep in {*node.data}:
            assert dep in by_id, f"node {node.id} waits for {dep}, which never comes"
            behind.setdefault(dep, []).append(node.id)
        for dep in node.ctrl:
            assert dep in by_id, f"node {node.id} names {dep}, which is not there"
    free = deque(id_ for id_, n_waiting in waiting.items() if not n_waiting)
    while free:
        node = by_id[free.popleft()]
        _issue(run, groups, node)
        for id_ in behind.get(node.id, ()):
            waiting[id_] -= 1
            if not waiting[id_]:
                free.append(id_)
    assert run.n_run == len(graph.nodes), "nodes wait for each other"
    return run


def _issue(run: Run, groups: dict[int, list[int]], node: Node) -> None:
    run.n_run += 1
    run.types[node.type] += 1
    assert node.type in (METADATA, COMP, SEND, RECV, COLL)
    if node.type == METADATA:
        assert node.inputs is not None
        for group in json.loads(node.inputs[0][2:-2]):
            groups[int(group["pg_name"])] = group["ranks"]
        return
    is_host = node.attr("is_cpu_op")
    assert is_host is not None
    if is_host:
        run.host_ns += node.dur * 1000
    else:
        run.device_ns += node.dur * 1000
    if node.type == COMP:
        return
    assert not is_host, "Comm node should not be on CPU"
    size = node.attr("comm_size")
    assert size >= 0
    if node.type == COLL:
        group = node.attr("pg_name") or "0"
        assert node.attr("comm_type") in SIMULATED
        assert group == "0" or int(group) in groups
        run.collectives.append((node.attr("comm_type"), size, group))
        return
    source = node.attr("comm_src") if node.attr("comm_src") is not None else run.rank
    target = node.attr("comm_dst") if node.attr("comm_dst") is not None else run.rank
    assert (source if node.type == SEND else target) == run.rank
    assert node.attr("comm_dst" if node.type == SEND else "comm_src") is not None
    run.messages.append((source, target, node.attr("comm_tag"), size))
