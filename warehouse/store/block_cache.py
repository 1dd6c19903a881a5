"""Keeps the blocks that DuckDB caches few beside its memory limit.

DuckDB caches blocks of tables up to its memory limit. There, memory that it has freed counts until
it has returned it to the system: it returns at once what it frees, and the system clears it for its
next use. Storing rows in parts, which needs few blocks twice, took a fifth longer by that.
"""

from __future__ import annotations

from contextlib import suppress

import duckdb

from warehouse.store import database

_LARGE, _KEPT = 0.4, 0.2  # of the memory limit


def shrink(connection: duckdb.DuckDBPyConnection, memory_limit: str) -> None:
    """Frees cached blocks of a database where they fill much of its memory limit.

    To be called between statements. `memory_limit` is what the database has, as DuckDB writes it.
    """
    used, limit = database.one(
        connection,
        "SELECT sum(memory_usage_bytes), parse_formatted_bytes(current_setting('memory_limit')) "
        "FROM duckdb_memory()",
    )
    if used < _LARGE * limit:
        return
    # In a transaction of its own: DuckDB refuses a limit that it cannot meet.
    with connection.cursor() as other:
        with suppress(duckdb.Error):
            other.execute(f"SET memory_limit = '{int(_KEPT * limit)}B'")
        other.execute(f"SET memory_limit = '{memory_limit}'")
