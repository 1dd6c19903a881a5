"""Completes queries that read every table: the parts that follow from the schema's comments.

A line `--! references` in a query stands for a UNION ALL over all columns whose comment says
`[ref TABLE.id]`; `targets`, `extents` and `spans` are derived from these, `keys` and `key_blocks`
from the columns `id` and those `slice_id` that describe a slice once. So a table that a migration
or an importer adds is checked without further code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_MARKER = re.compile(r"^[^\S\n]*--! (\w+)[^\S\n]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\[ref (\w+)\.id\]")
#: References of a trace's rows to rows of another trace of its run, which their id names.
_ACROSS_TRACES = {("graph_node", "slice_id"), ("link", "from_id"), ("link", "to_id")}
#: Tables that may describe a slice in several rows.
_SEVERAL_PER_SLICE = {"collective", "collective_tensor"}


@dataclass(frozen=True)
class Reference:
    """A column that holds ids of a table."""

    table: str
    column: str
    target: str

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"

    @property
    def trace_id(self) -> str:
        """The trace that has the row referred to, as SQL."""
        if (self.table, self.column) in _ACROSS_TRACES:
            return f"{self.column} >> 32"
        return "id" if self.table == "trace" else "trace_id"


@dataclass(frozen=True)
class Schema:
    """References and keys of the tables whose rows belong to traces."""

    references: tuple[Reference, ...]
    keys: tuple[tuple[str, str], ...]  # table and column

    @property
    def targets(self) -> list[str]:
        return sorted({each.target for each in self.references})


def has_parts(sql: str) -> bool:
    """Whether the text has a line to complete."""
    return "--! " in sql


def complete(sql: str, connection: duckdb.DuckDBPyConnection) -> str:
    """The text with its parts, by the tables and comments of the open warehouse."""
    schema = read_schema(connection)
    return _MARKER.sub(lambda match: _PARTS[match[1]](schema), sql)


def read_schema(connection: duckdb.DuckDBPyConnection) -> Schema:
    """References and keys by the comments of the open warehouse."""
    rows = connection.execute("""
        SELECT c.table_name, c.column_name, coalesce(c.comment, ''), c.is_nullable
        FROM duckdb_columns() AS c
        JOIN duckdb_tables() AS t
          ON t.database_name = c.database_name AND t.table_name = c.table_name
        WHERE c.database_name = current_database()
        ORDER BY c.table_name, c.column_index
    """).fetchall()
    columns = {(table, column): (comment, nullable) for table, column, comment, nullable in rows}
    tables = {table for table, column in columns if column == "trace_id"}
    references, keys = [], []
    for (table, column), (comment, is_nullable) in columns.items():
        if table not in tables | {"trace"}:
            continue
        found = _REFERENCE.match(comment)
        if found and found[1] not in ("run", "trace"):
            references.append(Reference(table, column, found[1]))
        describes_slice = column == "slice_id" and not is_nullable and (table, "id") not in columns
        is_key = column == "id" or (describes_slice and table not in _SEVERAL_PER_SLICE)
        if table in tables and is_key:
            keys.append((table, column))
    return Schema(tuple(references), tuple(keys))


def _union(parts: Sequence[str]) -> str:
    return "\n  UNION ALL\n".join(parts)


def _references(schema: Schema) -> str:
    return _union(
        [
            f"  SELECT '{each.name}' AS reference_name, '{each.target}' AS table_name,\n"
            f"    {each.trace_id} AS trace_id, {each.column} AS id\n"
            f"  FROM {each.table}\n  WHERE {each.column} IS NOT NULL"
            for each in schema.references
        ]
    )


def _targets(schema: Schema) -> str:
    return _union(
        [f"  SELECT '{each}' AS table_name, trace_id, id\n  FROM {each}" for each in schema.targets]
    )


def _extents(schema: Schema) -> str:
    return _union(
        [
            f"  SELECT '{each}' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,\n"
            f"    max(id) - min(id) + 1 = count(*) AS is_dense\n  FROM {each}\n  GROUP BY trace_id"
            for each in schema.targets
        ]
    )


def _spans(schema: Schema) -> str:
    return _union(
        [
            f"  SELECT '{each.name}' AS reference_name, '{each.target}' AS table_name,\n"
            f"    {each.trace_id} AS trace_id, min({each.column}) AS first_id,\n"
            f"    max({each.column}) AS last_id\n"
            f"  FROM {each.table}\n  WHERE {each.column} IS NOT NULL\n  GROUP BY {each.trace_id}"
            for each in schema.references
        ]
    )


def _keys(schema: Schema) -> str:
    return _union(
        [
            f"  SELECT '{table}.{column}' AS key_name, {column} AS id\n  FROM {table}"
            for table, column in schema.keys
        ]
    )


def _key_blocks(schema: Schema) -> str:
    return _union(
        [
            f"  SELECT '{table}.{column}' AS key_name, {column} >> 5 AS block\n  FROM {table}\n"
            f"  GROUP BY {column} >> 5\n"
            f"  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << ({column} & 31))) < count(*)"
            for table, column in schema.keys
        ]
    )


_PARTS: dict[str, Callable[[Schema], str]] = {
    "references": _references,
    "targets": _targets,
    "extents": _extents,
    "spans": _spans,
    "keys": _keys,
    "key_blocks": _key_blocks,
}
