"""`slices.flow` against a depth-first search in Python, on random flows."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pytest

from tests.support.sharing import slow
from warehouse.dialect import run
from warehouse.dialect.perfetto import translate

SCRIPT = """
INCLUDE PERFETTO MODULE slices.flow;
SELECT root_node_id, node_id, parent_node_id
FROM _slice_following_flow!((SELECT id FROM slice WHERE id < 5));
"""
Edge = tuple[int, int]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose slices and flows are two tables."""
    with duckdb.connect() as opened:
        run.install_macros(opened)
        opened.execute("CREATE TABLE perfetto_slice AS SELECT unnest(range(9)) AS id")
        opened.execute("CREATE TABLE flows (id BIGINT, slice_out BIGINT, slice_in BIGINT)")
        opened.execute("CREATE TABLE perfetto_flow AS FROM flows")
        yield opened


def searched(edges: list[Edge]) -> list[tuple[int, int, int | None]]:
    """Each slice below 5, for each of its flows: what a search from it reaches, and from where."""
    found: list[tuple[int, int, int | None]] = []

    def visit(root: int, node: int, parent: int | None, seen: set[int]) -> None:
        if node in seen:
            return
        seen.add(node)
        found.append((root, node, parent))
        for origin, target in edges:
            if origin == node:
                visit(root, target, node, seen)

    for root, _ in edges:
        if root < 5:
            visit(root, root, None, set())
    return sorted(found, key=str)


@pytest.mark.parametrize("seeds", [range(5), slow(range(5, 150), id="more")])
def test_slices_that_flows_lead_to(connection: duckdb.DuckDBPyConnection, seeds: range) -> None:
    query = run.answer(connection, translate(SCRIPT))
    connection.execute("CREATE OR REPLACE TEMP VIEW perfetto_flow AS FROM flows")
    for seed in seeds:
        rng = random.Random(seed)
        n = rng.randint(1, 9)
        edges = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randint(1, 16))]
        listed = ", ".join(f"({i}, {a}, {b})" for i, (a, b) in enumerate(edges))
        connection.execute(f"DELETE FROM flows; INSERT INTO flows VALUES {listed}")

        rows = connection.execute(query).fetchall()

        assert sorted(rows, key=str) == searched(edges), seed
