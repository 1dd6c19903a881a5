"""What DuckDB caches of tables is freed where it fills much of the memory limit, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from warehouse.store import block_cache, database

LIMIT = 64_000_000


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with 32 MB of numbers that no compression makes smaller."""
    path = str(tmp_path / "w.duckdb")
    with duckdb.connect(path, config={"memory_limit": f"{LIMIT}B", "threads": 1}) as made:
        made.execute("CREATE TABLE numbers AS SELECT hash(i) AS n FROM range(4_000_000) AS r(i)")
        made.execute("CHECKPOINT")
        yield made


def used(connection: duckdb.DuckDBPyConnection) -> int:
    return int(database.one(connection, "SELECT sum(memory_usage_bytes) FROM duckdb_memory()")[0])


def limit(connection: duckdb.DuckDBPyConnection) -> str:
    return str(database.one(connection, "SELECT current_setting('memory_limit')")[0])


def test_cached_blocks_are_freed_within_a_transaction(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    before = limit(connection)
    connection.execute("BEGIN; CREATE TABLE other AS SELECT 1 AS n")
    total = database.one(connection, "SELECT sum(n) FROM numbers")
    assert used(connection) > 0.4 * LIMIT

    block_cache.shrink(connection, f"{LIMIT}B")

    assert used(connection) <= 0.2 * LIMIT
    assert limit(connection) == before
    assert database.one(connection, "SELECT sum(n) FROM numbers") == total
    connection.execute("COMMIT")


def test_few_cached_blocks_stay(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(f"SET memory_limit = '{4 * LIMIT}B'")
    connection.execute("SELECT sum(n) FROM numbers").fetchall()
    before = used(connection)
    assert before > 0

    block_cache.shrink(connection, f"{4 * LIMIT}B")

    assert used(connection) == before
