"""Deletes traces, with everything that belongs to them, by one statement a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from warehouse.store import catalog

if TYPE_CHECKING:
    import duckdb


def delete_traces(connection: duckdb.DuckDBPyConnection, trace_ids: Sequence[int]) -> set[int]:
    """Deletes traces, their links, and runs without other traces; within a transaction.

    Returns the runs that remain: the links between their other traces must be rebuilt.
    """
    runs = delete_from_runs(connection, trace_ids)
    delete_empty_runs(connection)
    remaining = connection.execute("SELECT id FROM run").fetchall()
    return runs & {run_id for (run_id,) in remaining}


def delete_from_runs(connection: duckdb.DuckDBPyConnection, trace_ids: Sequence[int]) -> set[int]:
    """Deletes traces and their links from their runs, which it returns; keeps runs without others.

    What comes in their place can go to the same run; `delete_empty_runs` must follow.
    """
    gone = "IN (SELECT trace_id FROM deleted_trace)"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE deleted_trace AS SELECT unnest($ids::BIGINT[]) AS trace_id",
        {"ids": list(trace_ids)},
    )
    runs = connection.execute(f"SELECT DISTINCT run_id FROM trace WHERE id {gone}").fetchall()
    connection.execute(
        f"DELETE FROM link WHERE trace_id {gone} "
        f"OR (trace_id IS NULL AND (from_id >> 32 {gone} OR to_id >> 32 {gone}))"
    )
    for table in catalog.trace_tables(connection):
        connection.execute(f"DELETE FROM {table} WHERE trace_id {gone}")
    delete_relations(connection, gone)
    connection.execute(f"DELETE FROM trace WHERE id {gone}")
    connection.execute(
        "UPDATE trace SET timeline_trace_id = NULL, pair_rule = NULL "
        f"WHERE timeline_trace_id {gone}"
    )
    connection.execute("DROP TABLE deleted_trace")
    return {run_id for (run_id,) in runs}


def delete_empty_runs(connection: duckdb.DuckDBPyConnection) -> None:
    """Deletes runs without traces, and what belongs to them."""
    connection.execute("DELETE FROM run WHERE id NOT IN (SELECT run_id FROM trace)")
    connection.execute("DELETE FROM tag WHERE run_id NOT IN (SELECT id FROM run)")
    connection.execute("DELETE FROM prediction WHERE run_id NOT IN (SELECT id FROM run)")
    connection.execute("DELETE FROM search_step WHERE run_id NOT IN (SELECT id FROM run)")
    connection.execute(
        "DELETE FROM prediction_path WHERE predicted_run_id NOT IN (SELECT id FROM run)"
    )


def delete_relations(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Deletes relations with a trace for which a condition, such as `= 7`, holds."""
    for table, columns in catalog.relation_tables(connection).items():
        which = " OR ".join(f"{column} {condition}" for column in columns)
        connection.execute(f"DELETE FROM {table} WHERE {which}")
