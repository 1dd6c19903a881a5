"""Cycles among dependencies: found where there is one, and only there."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.link.graph_order import cycle

Edges = list[tuple[int, int]]


def found(n_nodes: int, edges: Edges) -> list[int] | None:
    before, after = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    return cycle(n_nodes, before, after)


def has_cycle(n_nodes: int, edges: Edges) -> bool:
    sorter = TopologicalSorter[int](dict.fromkeys(range(n_nodes), ()))
    for before, after in edges:
        sorter.add(after, before)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


@settings(deadline=None)
@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(
    st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14
))))  # fmt: skip
def test_a_cycle_is_found_if_there_is_one_and_each_of_its_steps_is_a_dependency(
    graph: tuple[int, Edges],
) -> None:
    n_nodes, edges = graph
    path = found(n_nodes, edges)
    assert (path is not None) == has_cycle(n_nodes, edges)
    if path is not None:
        assert len({*path}) == len(path)
        assert {*zip(path, [*path[1:], path[0]], strict=True)} <= {*edges}


def test_a_chain_of_a_hundred_thousand_nodes_in_any_order_is_no_matter_of_depth() -> None:
    order = np.random.default_rng(5).permutation(100_000)
    before, after = order[:-1], order[1:]
    assert cycle(len(order), before, after) is None
    closed = cycle(len(order), np.append(before, order[-1]), np.append(after, order[0]))
    assert closed is not None
    assert len(closed) == len(order)
