"""The stored tables of an open warehouse or lake, whatever TEMP views shadow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from warehouse.store import statements

if TYPE_CHECKING:
    import duckdb


def stored(connection: duckdb.DuckDBPyConnection) -> str:
    """What to qualify a table with for the rows of all traces: the warehouse, or views of a lake.

    A lake is opened as an empty warehouse with a schema `lake`.
    """
    ((name, is_lake),) = connection.execute(_STORED).fetchall()
    return f"{statements.quoted(name)}.{'lake' if is_lake else 'main'}."


_STORED = """
SELECT current_database(), EXISTS (
  FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = 'lake'
)
"""


def of_lake(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The tables that are views over the files of a lake, with their SQL; none in a warehouse."""
    if not stored(connection).endswith(".lake."):
        return {}
    rows = connection.execute(
        "SELECT view_name, sql FROM duckdb_views() "
        "WHERE database_name = current_database() AND schema_name = 'lake'"
    ).fetchall()
    return dict(rows)


def columns(connection: duckdb.DuckDBPyConnection) -> dict[str, frozenset[str]]:
    """The columns of each table."""
    rows = connection.execute("""
        SELECT table_name, list(column_name)
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name = 'main'
          AND table_name IN (
            SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()
          )
        GROUP BY table_name
        ORDER BY table_name
    """).fetchall()
    return {name: frozenset(names) for name, names in rows}


def filled(connection: duckdb.DuckDBPyConnection, views: Mapping[str, str]) -> list[str]:
    """The tables that may have rows, by name; of a lake given the views.

    All of a database that can be written: rows of an open transaction are not counted.
    """
    rows = connection.execute("""
        SELECT table_name, estimated_size > 0 OR NOT (
          SELECT readonly FROM duckdb_databases() WHERE database_name = current_database()
        )
        FROM duckdb_tables()
        WHERE database_name = current_database()
        ORDER BY table_name
    """).fetchall()
    return [name for name, has_rows in rows if has_rows or "read_parquet" in views.get(name, "")]
