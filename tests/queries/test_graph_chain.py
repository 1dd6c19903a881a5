"""The walk of a graph's threads, against a plain walk of random forests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import pytest

from warehouse.library import library
from warehouse.store import database

THREAD = "[pytorch|profiler|execution_trace|thread]"
N_GRAPHS = 24


@dataclass
class Node:
    id: int
    thread: int
    parent: int | None
    is_device: bool
    is_thread: bool


def _forest(seed: int, first: int) -> list[Node]:
    """Odd seeds number nodes as they are called, one thread after another or in turns; even ones
    give any earlier node as the parent, so that no order of ids is the walk."""
    source = random.Random(seed)
    n_threads = source.randint(1, 3)
    nodes = [Node(first + n, n, None, False, source.random() < 0.7) for n in range(n_threads)]
    open_calls = {n: [first + n] for n in range(n_threads)}
    for id_ in range(first + n_threads, first + n_threads + source.randint(0, 40)):
        thread = source.randrange(n_threads)
        calls = open_calls[thread]
        if seed % 2:
            del calls[source.randint(1, len(calls)) :]
            parent = calls[-1]
        else:
            parent = source.choice(calls)
        calls.append(id_)
        # A few nodes say another thread than their parent's.
        named = thread if source.random() < 0.99 or seed % 2 else thread + 1
        nodes.append(Node(id_, named, parent, source.random() < 0.2, False))
    return nodes


def _walk(nodes: list[Node]) -> set[tuple[int, int, bool, int, int | None]]:
    below: dict[int | None, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    found: set[tuple[int, int, bool, int, int | None]] = set()
    for root in below[None]:
        stack, place = [root], 0
        before: int | None = None
        while stack:
            node = stack.pop()
            found.add((node.id, root.id, root.is_thread, place, before))
            place, before = place + 1, before if node.is_device else node.id
            stack += reversed(below.get(node.id, []))
    return found


@pytest.fixture(scope="module")
def graphs(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[int, list[Node]]]]:
    path = tmp_path_factory.mktemp("graphs") / "w.duckdb"
    database.create_empty(path)
    connection = duckdb.connect(str(path), config={"threads": 1})
    made = {seed: _forest(seed, seed * 100) for seed in range(1, N_GRAPHS + 1)}
    every = [(graph, node) for graph, nodes in made.items() for node in nodes]
    connection.executemany(
        "INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, device_kind, thread_id) "
        "VALUES (?, 1, ?, ?, ?, ?, ?)",
        [
            (n.id, g, n.id, THREAD if n.is_thread else "op", "gpu" if n.is_device else "cpu",
             n.thread)
            for g, n in every
        ],
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) "
        "VALUES (?, 1, ?, ?, ?, 'control', 0)",
        [(n.id, g, n.parent, n.id) for g, n in every if n.parent is not None],
    )
    yield connection, made
    connection.close()


def test_each_thread_is_walked_from_its_node_down_whatever_the_order_of_ids(
    graphs: tuple[duckdb.DuckDBPyConnection, dict[int, list[Node]]],
) -> None:
    connection, made = graphs
    chain = library.load().newest["et_chain"]
    for graph_id, nodes in made.items():
        rows = connection.execute(chain.bound_sql, {"graph_id": graph_id}).fetchall()
        assert len(rows) == len(nodes)
        assert set(rows) == _walk(nodes)
