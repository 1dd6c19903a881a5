"""Explains why nodes of a replay never start: collectives that wait for each other, or a cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.errors import QueryError
from warehouse.wording import counted

if TYPE_CHECKING:
    import duckdb

_NAMED = 5  # collectives or nodes in an error
#: Collectives at which some ranks wait and others are missing: barriers with some of their
#: arrivals, and slots with some of their nodes. Nodes that never start have start_ns NaN.
_WAITING = """
WITH part AS (
  SELECT 'b' || b.node_id AS collective, b.name, a.slice_id, coalesce(a.rank, a.trace_id) AS rank,
    NOT isnan(t.start_ns) AS is_there, b.measured_start_ns AS place
  FROM edge AS e
  JOIN node AS b ON b.node_id = e.to_id AND b.kind = 'barrier'
  JOIN node AS a ON a.node_id = e.from_id
  JOIN time AS t ON t.node_id = a.node_id
  WHERE e.kind = 'arrive'
  UNION ALL
  SELECT 's' || n.slot_id, regexp_extract(n.name, '(?:.*->)?([^~]*)\\.', 1), n.slice_id,
    coalesce(n.rank, n.trace_id), NOT isnan(t.start_ns), n.node_id
  FROM node AS n
  JOIN time AS t USING (node_id)
  WHERE n.slot_id IS NOT NULL
),
of_rank AS (
  SELECT collective, min(name) AS name, rank, bool_or(is_there) AS is_there,
    min(slice_id) AS slice_id, min(place) AS place
  FROM part
  GROUP BY collective, rank
)
SELECT
  min(name),
  list(rank ORDER BY rank) FILTER (is_there),
  list(rank ORDER BY rank) FILTER (NOT is_there),
  min(slice_id)
FROM of_rank
GROUP BY collective
HAVING bool_or(is_there) AND NOT bool_and(is_there)
ORDER BY min(place), collective
"""


def explain(
    graph: duckdb.DuckDBPyConnection, warehouse: duckdb.DuckDBPyConnection, n_waiting: int
) -> QueryError:
    """The error for nodes that never start, with the collectives, their groups and ranks.

    `graph` has the tables node, edge and time of the replay, `warehouse` the rows of the run.
    """
    waiting = graph.execute(_WAITING).fetchall()
    nodes = f"{counted(n_waiting, 'node')} never start"
    if not waiting:
        return QueryError(f"the graph has a cycle; {nodes}, among them {_listed(_nodes(graph))}")
    groups = _groups(warehouse, [slice_id for *_, slice_id in waiting if slice_id is not None])
    found = [
        f"{name}{groups.get(slice_id, '')} on {_ranks(there)} for {_ranks(missing)}"
        for name, there, missing, slice_id in waiting
    ]
    return QueryError(
        f"deadlock: collectives wait for each other: {_listed(found)}; {nodes}",
        hint="The order of collectives differs between the ranks; `tw check` reports it.",
    )


def _groups(warehouse: duckdb.DuckDBPyConnection, slice_ids: list[int]) -> dict[int, str]:
    rows = warehouse.execute(
        "SELECT slice_id, ' of group ' || group_name FROM whole_collective "
        "WHERE slice_id IN (SELECT unnest(?::BIGINT[])) AND group_name IS NOT NULL",
        [slice_ids],
    ).fetchall()
    return {int(slice_id): str(text) for slice_id, text in rows}


def _nodes(graph: duckdb.DuckDBPyConnection) -> list[str]:
    rows = graph.execute(
        "SELECT n.name FROM node AS n JOIN time AS t USING (node_id) "
        "WHERE isnan(t.start_ns) ORDER BY n.node_id"
    ).fetchall()
    return [str(name) for (name,) in rows]


def _ranks(ranks: list[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"


def _listed(texts: list[str]) -> str:
    return ", ".join(texts[:_NAMED]) + (", ..." if len(texts) > _NAMED else "")
