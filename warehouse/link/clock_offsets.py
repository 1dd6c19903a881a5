"""Stores the clock offsets of a run's traces, as a query returns them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from warehouse.link import linked_graph
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Query

#: The query of offsets.
QUERY = "clock_offset"
#: Queries of offsets by a method that the user chooses: the rest of the name is the method.
QUERY_BY = "clock_by_"


def store(connection: duckdb.DuckDBPyConnection, query: Query, run_id: int) -> int:
    """Stores clock offsets, except where a better source has set one; returns their number."""
    source = json.dumps({"query": query.key})
    with linked_graph.blaming(query):
        (n_clocks,) = database.one(
            connection,
            "UPDATE clock SET offset_ns = e.offset_ns, uncertainty_ns = e.uncertainty_ns, "
            "method = e.method, drift = e.drift, "
            "extra_json = json_merge_patch(coalesce(clock.extra_json, '{}'), $source)::VARCHAR "
            f"FROM trace AS t JOIN ({query.bound_sql}) AS e ON e.trace_id = t.id "
            "WHERE clock.id = t.clock_id AND clock.method IS NULL",
            {"source": source, "run_id": run_id},
        )
    return int(n_clocks)


def delete(connection: duckdb.DuckDBPyConnection, run_id: int) -> None:
    """Removes offsets stored by `clock_offset` or a method; offsets from other sources are kept."""
    connection.execute(
        "UPDATE clock SET offset_ns = NULL, uncertainty_ns = NULL, method = NULL, drift = NULL, "
        "extra_json = nullif(json_merge_patch(extra_json, '{\"query\":null}')::VARCHAR, '{}') "
        "WHERE trace_id IN (SELECT id FROM trace WHERE run_id = ?) "
        f"AND (json_extract_string(extra_json, '$.query') LIKE '{QUERY}@%' "
        f"OR starts_with(json_extract_string(extra_json, '$.query'), '{QUERY_BY}'))",
        [run_id],
    )
