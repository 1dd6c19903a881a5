"""Runs a query of scale `sql` as a statement of Spark SQL over the Parquet files of a lake.

The files are those that commits name, and the types of their columns are those of the schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warehouse.dialect.spark import TYPES, Translation, translated
from warehouse.errors import QueryError, UsageError
from warehouse.lake import tables
from warehouse.lake.committed import Committed
from warehouse.lake.layout import File, Lake
from warehouse.lake.tables import Table
from warehouse.lake.views import Views
from warehouse.library import tokens
from warehouse.library.arguments import arguments
from warehouse.query import conditions
from warehouse.spark.order import Ordered, ordered
from warehouse.store import catalog

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.library import Query
    from warehouse.library.parameter import Value
    from warehouse.query.selection import Scope
    from warehouse.query.session import Session
    from warehouse.spark.cluster import Cluster

_PATTERN = re.compile(r"[][{}*?\\,]")  # in a path, Spark takes them for a pattern of names


def translate(
    query: Query, values: Mapping[str, Value] | None = None
) -> tuple[Translation, Ordered]:
    """A query as a statement of Spark, and the order of its rows. Raises UnsupportedSql."""
    assert query.header is not None
    names = [column.name for column in query.header.columns]
    statement = ordered(tokens.statement(query.text), names)
    return translated(statement.sql, catalog.stored_columns(), values), statement


def check(lake: str) -> None:
    """Raises UsageError for a lake whose files Spark SQL does not read."""
    wrong = _PATTERN.search(lake)
    if wrong is not None or "://" in lake:
        what = f"the character {wrong[0]} in its path" if wrong else "object storage"
        raise UsageError(
            f"Spark SQL cannot read {lake}: {what} is not supported", hint="Use --engine duckdb."
        )


def run(
    opened: Session,
    query: Query,
    parameters: Mapping[str, object],
    spark: Cluster,
    timeout_s: float | None = None,
) -> pa.Table:
    """The rows of a query over the traces in scope, in its order. Raises QueryError."""
    statement, order = translate(query, arguments(query, parameters))
    views = views_of(Lake.open(opened.place.path), opened.chosen, statement.tables)
    found = spark.sql(statement.sql, views, timeout_s)
    return typed(query, order.sorted(found))


def typed(query: Query, rows: pa.Table) -> pa.Table:
    """The rows with the types that the header declares. Raises QueryError if a value has none."""
    import pyarrow as pa

    from warehouse.store import database

    assert query.header is not None
    declared = ", ".join(
        f'CAST(NULL AS {column.type}) AS "{column.name}"' for column in query.header.columns
    )
    with database.shared_scratchpad() as connection:
        schema = connection.sql(f"SELECT {declared} WHERE false").to_arrow_table().schema
    try:
        return rows.cast(schema, safe=True)
    except (ValueError, pa.ArrowInvalid) as error:
        line = str(error).splitlines()[0]
        raise QueryError(f"Spark returned rows of other types: {line}") from None


@dataclass(frozen=True)
class Files:
    """Files of a table that Spark reads at once."""

    table: Table
    paths: tuple[str, ...]
    folder: str | None  # whose folders `trace_id=…` are a column; None: the files have all columns

    @property
    def columns(self) -> str:
        """The columns with the types that Spark reads."""
        return ", ".join(f"`{each.name}` {TYPES[each.type]}" for each in self.table.columns)


@dataclass(frozen=True)
class SparkViews(Views):
    """The rows of tables over groups of files, which `files` has by the name of a view."""

    files: dict[str, Files] = field(default_factory=dict)

    def of_files(self, table: Table, files: Iterable[File]) -> str:
        return self._read(table, files, self.lake.full(table.name))

    def of_shared(self, table: Table, files: Iterable[File]) -> str:
        return self._read(table, files, None)

    def _read(self, table: Table, files: Iterable[File], folder: str | None) -> str:
        name = f"files {len(self.files) + 1}"
        paths = tuple(dict.fromkeys(self.lake.path(file) for file in files))
        self.files[name] = Files(table, paths, folder)
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        return f'SELECT {columns} FROM "{name}"'


@dataclass(frozen=True)
class TableViews:
    """The input of a statement of Spark: groups of files, and tables as statements over these."""

    files: Mapping[str, Files]
    tables: Mapping[str, str]


def views_of(lake: Lake, seen: Scope, names: Iterable[str]) -> TableViews:
    """The rows of tables that are in a scope."""
    check(lake.name)
    part = Committed.read(lake)
    views = SparkViews(lake, part.traces, part.runs)
    rows = views.all(name for name in names if name in tables.tables())
    known = {
        name: {column.name: column.type for column in each.table.columns}
        for name, each in views.files.items()
    }
    texts = {name: rows.get(name) or _nothing(name) for name in names}
    restricted = {name: _in_scope(name, text, seen) for name, text in texts.items()}
    return TableViews(
        views.files, {name: translated(text, known).sql for name, text in restricted.items()}
    )


def _in_scope(table: str, rows: str, seen: Scope) -> str:
    if seen.covers_all:
        return rows
    condition = conditions.of_table(table, frozenset(catalog.stored_columns()[table]), seen, "")
    return f"SELECT * FROM ({rows}) WHERE {condition}" if condition else rows


def _nothing(table: str) -> str:
    """The columns of a table that no lake has rows of."""
    columns = (
        f'CAST(NULL AS {kind}) AS "{name}"'
        for name, kind in catalog.stored_columns()[table].items()
    )
    return f"SELECT {', '.join(columns)} WHERE false"
