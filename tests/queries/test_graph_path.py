"""Longest paths through graphs, against dynamic programming in plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.graphs import Graphs, run

Row = dict[str, Any]
KINDS = ("data", "sync", "inter_thread", "stream_order", "group_order", "control")


def longest(weights: dict[int, int], edges: list[tuple[int, int]]) -> dict[int, int]:
    """Length of the longest path to the end of each node, in order of its dependencies."""
    before: dict[int, list[int]] = defaultdict(list)
    for first, then in edges:
        before[then].append(first)
    found: dict[int, int] = {}

    def of(node: int) -> int:
        if node not in found:
            found[node] = weights[node] + max(map(of, before[node]), default=0)
        return found[node]

    for node in sorted(weights):
        of(node)
    return found


def random_graph(
    made: Graphs, rng: random.Random, n: int
) -> tuple[int, dict[int, int], list[tuple[int, int]]]:
    """Acyclic, though not in the order of ids; of kind chakra, whose durations are a node's own."""
    graph = made.graph("chakra")
    weights = {}
    for _ in range(n):
        dur = rng.choice([0, 0, 1, 5, rng.randrange(1000)])
        weights[made.node(graph, "n", dur_ns=dur, device_kind=rng.choice(["cpu", "gpu"]))] = dur
    order = rng.sample(sorted(weights), n)
    edges = []
    for place, then in enumerate(order):
        for first in rng.sample(order[:place], min(place, rng.choice([0, 1, 1, 2, 5]))):
            made.edge(graph, first, then, kind := rng.choice(KINDS))
            if rng.random() < 0.1:
                made.edge(graph, first, then, kind)
            edges.append((first, then))
    made.edge(graph, order[0], order[0], "data")  # nothing depends on itself; and some edge is data
    return graph, weights, edges


def test_the_path_of_random_graphs_is_as_long_as_the_longest(tmp_path: Path) -> None:
    rng = random.Random(5)
    with Graphs(tmp_path / "w.duckdb") as made:
        graphs = [random_graph(made, rng, n) for n in (1, 2, 3, 10, 40, 120, 400)]

    found = run(tmp_path / "w.duckdb", "graph_critical_path")
    lengths = run(tmp_path / "w.duckdb", "SELECT * FROM graph_longest_path()")

    by_node = {row["graph_node_id"]: row["path_weight"] for row in lengths}
    for graph, weights, edges in graphs:
        expected = longest(weights, edges)
        if sum(weights.values()):
            assert {node: by_node[node] for node in weights} == expected
            path = [row for row in found if row["graph_id"] == graph]
            check_path(path, weights, set(edges), max(expected.values()))


def check_path(
    path: list[Row], weights: dict[int, int], edges: set[tuple[int, int]], length: int
) -> None:
    nodes = [row["graph_node_id"] for row in path]
    assert [row["n"] for row in path] == list(range(len(path)))
    assert all(pair in edges for pair in pairwise(nodes))
    assert [row["self_ns"] for row in path] == [weights[node] for node in nodes]
    assert path[-1]["path_ns"] == length == sum(weights[node] for node in nodes)
    assert [row["edge_kind"] is None for row in path] == [n == 0 for n in range(len(path))]


def test_without_times_the_path_has_the_most_nodes(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph()
        process = made.node(graph, "process", thread_id=0)
        threads = [made.node(graph, "thread", parent=process, thread_id=n) for n in (1, 2)]
        for thread, calls in zip((1, 2), (3, 5), strict=True):
            for _ in range(calls):
                made.node(graph, f"on {thread}", parent=threads[thread - 1], thread_id=thread)

    found = run(tmp_path / "w.duckdb", "graph_critical_path")

    assert [row["name"] for row in found] == ["process", "thread", *["on 2"] * 5]
    assert [row["edge_kind"] for row in found] == [None, "control", *["thread_order"] * 5]
    assert {row["path_ns"] for row in found} == {row["share"] for row in found} == {None}


def test_a_call_that_waits_counts_without_the_wait(tmp_path: Path) -> None:
    """launch 0-10, kernel 20-100, the call that waits for it 10-110, one more call 110-115."""
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("linked")
        launch = made.node(graph, "launch", start_ns=0, dur_ns=10)
        kernel = made.node(
            graph, "kernel", parent=launch, start_ns=20, dur_ns=80, device_kind="gpu"
        )
        wait = made.node(graph, "wait", start_ns=10, dur_ns=100)
        made.node(graph, "last", start_ns=110, dur_ns=5)
        made.edge(graph, kernel, wait, "sync")

    found = run(tmp_path / "w.duckdb", "graph_critical_path")

    assert [(row["name"], row["edge_kind"], row["self_ns"], row["path_ns"]) for row in found] == [
        ("launch", None, 10, 10),
        ("kernel", "control", 80, 90),
        ("wait", "sync", 10, 100),
        ("last", "thread_order", 5, 105),
    ]


def test_a_graph_that_goes_in_a_circle_has_no_path_and_others_have_theirs(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        odd = made.graph("chakra")
        nodes = [made.node(odd, "n", dur_ns=1 << 60) for _ in range(5)]
        for first, then in zip(nodes, [*nodes[1:], nodes[2]], strict=True):
            made.edge(odd, first, then, "data")
        fine = made.graph("chakra")
        last = made.node(fine, "n", dur_ns=7)

    found = run(tmp_path / "w.duckdb", "graph_critical_path")

    assert [(row["graph_node_id"], row["path_ns"]) for row in found] == [(last, 7)]


@pytest.mark.slow
def test_thousands_of_calls_one_after_another_are_one_path(tmp_path: Path) -> None:
    """Every third launches a kernel, and every hundredth waits for the last of them."""
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("chakra")
        weights: dict[int, int] = {}
        edges: list[tuple[int, int]] = []

        def add(name: str, dur: int, *before: int) -> int:
            node = made.node(graph, name, dur_ns=dur)
            weights[node] = dur
            for first in before:
                made.edge(graph, first, node, "data")
                edges.append((first, node))
            return node

        call = kernel = add("call", 10)
        for n in range(6_000):
            call = add("call", 10, call, *([kernel] if n % 100 == 0 else []))
            if n % 3 == 0:
                kernel = add("kernel", 40, call, kernel)

    found = run(tmp_path / "w.duckdb", "graph_critical_path")

    before_of: dict[int, list[int]] = defaultdict(list)
    for first, then in edges:
        before_of[then].append(first)
    length: dict[int, int] = {}
    for node in weights:  # ids grow along the edges
        length[node] = weights[node] + max((length[b] for b in before_of[node]), default=0)
    check_path(found, weights, set(edges), max(length.values()))


def test_work_that_began_before_its_launch_ended_needs_only_what_came_before(
    tmp_path: Path,
) -> None:
    """A launch 0-50 whose kernel runs 10-100; another thread goes on at 30 for 90."""
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("linked")
        first = made.node(graph, "first", start_ns=-5, dur_ns=5)
        launch = made.node(graph, "launch", start_ns=0, dur_ns=50)
        kernel = made.node(
            graph, "kernel", parent=launch, start_ns=10, dur_ns=90, device_kind="gpu"
        )
        other = made.node(graph, "other", thread_id=2, start_ns=30, dur_ns=90)
        made.edge(graph, launch, other, "inter_thread")

    found = run(tmp_path / "w.duckdb", "graph_critical_path")
    lengths = run(tmp_path / "w.duckdb", "SELECT * FROM graph_longest_path()")

    assert [(row["graph_node_id"], row["self_ns"], row["path_ns"]) for row in found] == [
        (first, 5, 5),
        (launch, 30, 35),
        (other, 90, 125),
    ]
    assert {row["graph_node_id"]: row["path_weight"] for row in lengths}[kernel] == 5 + 10 + 90


def test_random_times_give_the_longest_path_that_plain_python_finds(tmp_path: Path) -> None:
    rng = random.Random(9)
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("chakra")
        times: dict[int, tuple[int, int]] = {}
        edges: list[tuple[int, int, str]] = []
        for _ in range(150):
            start, dur = rng.randrange(500), rng.randrange(100)
            device = rng.choice(["cpu", "gpu"])
            node = made.node(graph, "n", start_ns=start, dur_ns=dur, device_kind=device)
            for first in rng.sample(sorted(times), min(len(times), rng.choice([0, 1, 2, 3]))):
                kind = rng.choice(KINDS)
                made.edge(graph, first, node, kind)
                edges.append((first, node, kind))
            times[node] = start, dur

    found = run(tmp_path / "w.duckdb", "graph_critical_path")
    lengths = run(tmp_path / "w.duckdb", "SELECT * FROM graph_longest_path()")

    weights = {
        node: dur - max(
            (min(max(sum(times[first]) - start, 0), dur)
             for first, then, kind in edges if then == node and kind == "sync"),
            default=0,
        )
        for node, (start, dur) in times.items()
    }  # fmt: skip
    length: dict[int, int] = {}
    for node in times:  # ids grow along the edges
        begins = [0]
        for first, then, kind in edges:
            if then == node:
                late = (
                    sum(times[first]) - times[node][0] if kind in ("control", "inter_thread") else 0
                )
                begins.append(length[first] - min(max(late, 0), weights[first]))
        length[node] = weights[node] + max(begins)
    assert {row["graph_node_id"]: row["path_weight"] for row in lengths} == length
    assert found[-1]["path_ns"] == max(length.values()) == sum(row["self_ns"] for row in found)
    assert all(row["self_ns"] >= 0 for row in found)
