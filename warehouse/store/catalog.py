"""Describes the schema: tables, columns, types and comments."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import UsageError

if TYPE_CHECKING:
    import duckdb

_UNIT = re.compile(r"\[([^\]]*)\]\s*(.*)", re.DOTALL)


@cache
def stored_columns() -> Mapping[str, Mapping[str, str]]:
    """The columns of all stored tables of the schema, with their types."""
    with empty() as connection:
        return {
            table.name: {each.name: each.type for each in columns(connection, table.name)}
            for table in tables(connection)
            if table.kind == "table"
        }


@dataclass(frozen=True)
class Table:
    """A table or view with its comment."""

    name: str
    kind: str  # table or view
    comment: str


@dataclass(frozen=True)
class Column:
    """A column; `unit` is ns, byte, count, ..., `id`, or `ref TABLE.id`."""

    name: str
    type: str
    unit: str
    meaning: str


def relation_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The tables whose rows relate traces of any runs, with their columns `…_trace_id`.

    They have neither a column trace_id nor run_id, so that no scope restricts them.
    """
    rows = connection.execute("""
        SELECT table_name, list(column_name ORDER BY column_index)
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name = 'main'
          AND table_name IN (
            SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()
          )
        GROUP BY table_name
        HAVING bool_or(ends_with(column_name, '_trace_id'))
          AND NOT bool_or(column_name IN ('trace_id', 'run_id'))
        ORDER BY table_name
    """).fetchall()
    return {
        str(table): [name for name in names if name.endswith("_trace_id")] for table, names in rows
    }


@contextmanager
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens an empty warehouse, to inspect its schema."""
    from warehouse.store import database

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        database.create_empty(path)
        with database.Reader(path) as reader:
            yield reader.connection


def tables(connection: duckdb.DuckDBPyConnection) -> list[Table]:
    """Returns all tables by name, then all views."""
    rows = connection.execute("""
        SELECT table_name AS name, 'table' AS kind, coalesce(comment, '')
        FROM duckdb_tables() WHERE database_name = current_database()
        UNION ALL
        SELECT view_name, 'view', coalesce(comment, '')
        FROM duckdb_views()
        WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
        ORDER BY kind, name
    """).fetchall()
    return [Table(*row) for row in rows]


def trace_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables whose rows belong to one trace: those with a column trace_id.

    Without `link`, whose rows may also belong to two traces of a run.
    """
    rows = connection.execute("""
        SELECT t.table_name
        FROM duckdb_tables() AS t
        JOIN duckdb_columns() AS c
          ON c.database_name = t.database_name AND c.table_name = t.table_name
        WHERE t.database_name = current_database() AND c.column_name = 'trace_id'
          AND t.table_name <> 'link'
        ORDER BY t.table_name
    """).fetchall()
    return [str(name) for (name,) in rows]


def find(tables: Sequence[Table], name: str) -> Table:
    """Returns the table or view of a name; raises UsageError naming the nearest."""
    for table in tables:
        if table.name == name.lower():
            return table
    near = difflib.get_close_matches(name, [table.name for table in tables], n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "`tw schema show` lists them."
    raise UsageError(f"table {name!r} not found", hint=hint)


def columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[Column]:
    """Returns the columns of a table or view in order."""
    rows = connection.execute(
        "SELECT column_name, data_type, coalesce(comment, '') FROM duckdb_columns() "
        "WHERE database_name = current_database() AND schema_name = 'main' AND table_name = ? "
        "ORDER BY column_index",
        [table],
    ).fetchall()
    return [Column(name, kind, *_split(comment)) for name, kind, comment in rows]


def _split(comment: str) -> tuple[str, str]:
    """Splits a comment into the unit in brackets and the rest."""
    match = _UNIT.fullmatch(comment)
    return (match[1], match[2]) if match else ("", comment)
