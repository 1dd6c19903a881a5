"""Keeps the rows of building blocks that declare `computed_once`, while a scope is in effect.

A call of a query is its whole text again: without this, DuckDB would plan and run a block dozens of
times where blocks call each other. The macro of a kept block reads a TEMP table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from warehouse.library.header import FOR_REPORTS

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.library.library import Library, Query


def keep(
    connection: duckdb.DuckDBPyConnection,
    queries: Library,
    query: Query,
    kept: set[str],
    rows_of: Callable[[Query], pa.Table],
    *,
    is_report: bool = False,
) -> None:
    """Computes the blocks that a query calls and that `kept` does not name, callees first.

    Some are worth it only for the many queries of a report.
    """
    when = (True, FOR_REPORTS) if is_report else (True,)
    for block in queries.called_by(query):
        key = str(block.key)
        if key in kept or block.header is None or block.header.computed_once not in when:
            continue
        connection.register("rows of a block", rows_of(block))
        connection.execute(f'CREATE OR REPLACE TEMP TABLE "kept {key}" AS FROM "rows of a block"')
        connection.unregister("rows of a block")
        connection.execute(
            f'CREATE OR REPLACE TEMP MACRO "{key}"() AS TABLE FROM temp.main."kept {key}"'
        )
        kept.add(key)


def forget(connection: duckdb.DuckDBPyConnection, kept: set[str], installed: set[str]) -> None:
    """Drops the rows of all kept blocks, as the scope changes."""
    for key in kept:
        connection.execute(f'DROP MACRO TABLE "{key}"')
        connection.execute(f'DROP TABLE temp.main."kept {key}"')
    installed -= kept
    kept.clear()
