"""Limits the blocks of tables that DuckDB caches while an import stores rows in parts.

DuckDB caches blocks up to its memory limit. Near the limit it returns freed memory to the system at
once, and the system clears it for its next use. Storing the slices of a trace of 10 GB, which needs
few blocks twice, took 47 CPU seconds by that, and takes 41 with fewer cached blocks.
"""

from __future__ import annotations

from contextlib import suppress

import duckdb

from warehouse.store import database

_LARGE, _KEPT = 0.4, 0.2  # of the memory limit


def shrink(connection: duckdb.DuckDBPyConnection, memory_limit: str) -> None:
    """Frees cached blocks if the database uses much of its memory limit.

    Call it between statements: none may hold blocks. `memory_limit` is that of the database, in the
    notation of DuckDB, and holds again afterwards.
    """
    used, limit = database.one(
        connection,
        "SELECT sum(memory_usage_bytes), parse_formatted_bytes(current_setting('memory_limit')) "
        "FROM duckdb_memory()",
    )
    if used < _LARGE * limit:
        return
    # A limit that cannot be met is an error, which would end the transaction of `connection`.
    with connection.cursor() as other:
        with suppress(duckdb.Error):
            other.execute(f"SET memory_limit = '{int(_KEPT * limit)}B'")
        other.execute(f"SET memory_limit = '{memory_limit}'")
