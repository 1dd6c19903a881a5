"""Comments of tables and columns are in a repeatable file, and reach existing warehouses."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from warehouse.store import catalog, database, migrate

STORED = "SELECT comment FROM duckdb_columns() WHERE table_name = 'slice' AND column_name = 'dur'"


def test_every_table_and_column_has_a_comment_in_the_repeatable_file() -> None:
    repeated = migrate._repeatable_comments()
    with catalog.empty() as connection:
        for table in catalog.tables(connection):
            assert table.comment, table.name
            for column in catalog.columns(connection, table.name):
                assert column.unit, f"{table.name}.{column.name}"
                is_repeated = f'{table.name}."{column.name}"' in repeated
                assert is_repeated == (table.kind == "table"), f"{table.name}.{column.name}"


@pytest.mark.slow
def test_units_and_references_are_those_of_the_migrations() -> None:
    """Only the meaning is reworded: checks and digests go by units and references."""
    with duckdb.connect() as plain:
        for migration in migrate.migrations():
            if migration.version is not None:
                plain.execute(migration.sql)
                migrate.write_comments(plain, migration.sql)
        units = {
            (table.name, column.name): column.unit
            for table in catalog.tables(plain)
            for column in catalog.columns(plain, table.name)
        }
    with catalog.empty() as connection:
        for (table, column), unit in units.items():
            found = {each.name: each.unit for each in catalog.columns(connection, table)}
            assert found[column] == unit, f"{table}.{column}"


def test_an_existing_warehouse_takes_over_changed_comments(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        (expected,) = database.one(connection, STORED)
        connection.execute("COMMENT ON COLUMN slice.dur IS '[ns] of an earlier program'")
        connection.execute("DELETE FROM schema_migration WHERE name = 'comments'")

    with database.writer(path) as connection:
        assert database.one(connection, STORED) == (expected,)
