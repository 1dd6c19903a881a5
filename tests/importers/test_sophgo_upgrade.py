"""A warehouse in which each command was one wide row says the same after an upgrade."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from warehouse.store import migrate

pytestmark = pytest.mark.integration  # all of it on recordings

#: The last version in which tpu_command and its counters were stored as they are seen.
WIDE = 13
SEEN = (
    "tpu_command", "tpu_tiu_counter", "tpu_dma_counter", "tpu_dma_bm1688_counter",
    "tpu_cdma_counter",
)  # fmt: skip


def _stored(table: str) -> str:
    """What the table had; operations have come since."""
    return f"{'* EXCLUDE (operation_id)' if table == 'tpu_command' else '*'} FROM {table}"


@pytest.fixture
def wide(
    captures: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A warehouse of that version with the commands of all recorded captures."""
    path = tmp_path / "wide.duckdb"
    known = migrate.migrations()
    old = tuple(m for m in known if m.version is not None and m.version <= WIDE)
    monkeypatch.setattr(migrate, "migrations", lambda: old)
    with duckdb.connect(str(path)) as connection:
        migrate.upgrade(connection)
        for table in SEEN:
            rows = captures.sql(f"SELECT {_stored(table)} ORDER BY slice_id").to_arrow_table()
            connection.register("rows", rows)
            connection.execute(f"INSERT INTO {table} BY NAME FROM rows")
    monkeypatch.setattr(migrate, "migrations", lambda: known)
    return path


def test_an_upgrade_changes_no_command_and_no_counter(
    captures: duckdb.DuckDBPyConnection, wide: Path
) -> None:
    with duckdb.connect(str(wide)) as connection:
        migrate.upgrade(connection)

        for table in SEEN:
            stored = f"SELECT {_stored(table)} ORDER BY slice_id"
            assert connection.execute(stored).fetchall() == captures.execute(stored).fetchall()


def test_an_upgrade_stores_what_commands_share_once(
    captures: duckdb.DuckDBPyConnection, wide: Path
) -> None:
    counted = "SELECT trace_id, count(*) FROM tpu_operation GROUP BY trace_id ORDER BY trace_id"
    with duckdb.connect(str(wide)) as connection:
        migrate.upgrade(connection)

        # where nothing was moved, an upgrade cannot know whether bandwidth would count it
        shared = dict(connection.execute(counted).fetchall())
        for trace_id, n_operations in captures.execute(counted).fetchall():
            assert n_operations <= shared[trace_id] <= 2 * n_operations
