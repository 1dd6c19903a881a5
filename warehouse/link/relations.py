"""Stores the rows of linkers that relate traces of different runs, in tables of their own.

Such a linker declares `stored_in`, a table with its columns and `linker` and `linker_version`. It
gets the id of a trace that was added, and returns the rows of all that the trace changes: rows
stored before with the same first column of the grain are replaced. Tables of this kind have no
column trace_id, so that their rows are in every scope; each column `…_trace_id` names a trace, with
which the row is removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from warehouse.library import required_rows
from warehouse.link import linked_graph
from warehouse.store import database, statements

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query

_FOUND = 'temp.main."relations found"'


def queries(library: Library) -> tuple[Query, ...]:
    """Returns the linkers that declare a table, by name."""
    found = (query for query in library.newest.values() if query.layer == "link")
    return tuple(query for query in found if query.header and query.header.stored_in)


def link(
    connection: duckdb.DuckDBPyConnection, known: Iterable[Query], trace_ids: Iterable[int]
) -> None:
    """Stores what each linker finds of new traces, in the caller's transaction."""
    for query in known:
        if _has_rows(connection, query):
            for trace_id in trace_ids:
                _store(connection, query, trace_id)


def _has_rows(connection: duckdb.DuckDBPyConnection, query: Query) -> bool:
    """Whether the tables that a linker requires have rows of any trace."""
    assert query.header is not None
    exist = [required_rows.exists(rows) for rows in query.header.requires_rows]
    return all(database.one(connection, f"SELECT {', '.join(exist)}")) if exist else True


def _store(connection: duckdb.DuckDBPyConnection, query: Query, trace_id: int) -> None:
    assert query.header is not None
    table, key = query.header.stored_in, query.header.grain[0]
    with linked_graph.blaming(query):
        sql = f"CREATE OR REPLACE TEMP TABLE {_FOUND} AS {query.bound_sql}"
        ((n_rows,),) = statements.execute(connection, sql, {"trace_id": trace_id}).fetchall()
        connection.execute(f"DELETE FROM {table} WHERE {key} = ?", [trace_id])
        if n_rows:
            connection.execute(f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {_FOUND})")
            connection.execute(
                f"INSERT INTO {table} BY NAME SELECT *, $name AS linker, $version AS "
                f"linker_version FROM {_FOUND}",
                {"name": query.header.name, "version": query.header.version},
            )
    connection.execute(f"DROP TABLE {_FOUND}")
