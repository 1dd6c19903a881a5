"""Keeps the rows of building blocks that declare `computed_once`, while a scope is in effect.

A call of a query is its whole text again: without this, DuckDB would plan and run a block dozens of
times where blocks call each other. The macro of a kept block reads a TEMP table.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from warehouse.library import required_rows
from warehouse.library.header import FOR_REPORTS
from warehouse.library.parameter import sql_literal
from warehouse.store import statements

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.library.installed import Macros
    from warehouse.library.library import Library, Query
    from warehouse.library.parameter import Value


OWN = "temp"  # the database of the rows of a single connection
_numbers = itertools.count(1)


class SharedRows:
    """A database in memory for rows of blocks that connections of the same scope share."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._computed: set[str] = set()
        self._locks: dict[str, threading.Lock] = {}

    @contextmanager
    def computing(self, key: str) -> Iterator[bool]:
        """Yields whether a block lacks its rows; no other connection computes them then."""
        with self._locks.setdefault(key, threading.Lock()):
            yield key not in self._computed
            self._computed.add(key)


@contextmanager
def shared(connection: duckdb.DuckDBPyConnection) -> Iterator[SharedRows]:
    """Attaches a database for rows that the cursors of a connection share."""
    rows = SharedRows(f"kept {next(_numbers)}")
    connection.execute(f"ATTACH ':memory:' AS \"{rows.name}\" (READ_WRITE)")
    try:
        yield rows
    finally:
        connection.execute(f'DETACH "{rows.name}"')


@contextmanager
def compressed(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Attaches a database in memory for rows of blocks, which `Kept.compress` compresses.

    Temporary tables are not compressed; of many ranks, they exceed the memory limit of a report.
    """
    name = f"kept {next(_numbers)}"
    connection.execute(f"ATTACH ':memory:' AS \"{name}\" (READ_WRITE, COMPRESS)")
    try:
        yield name
    finally:
        connection.execute(f'DETACH "{name}"')


class Kept(set[str]):
    """Pinned names of the blocks whose rows a connection has, its own or shared ones."""

    shared: SharedRows | None = None
    own: str = OWN  # the database of its own rows

    @property
    def database(self) -> str:
        """The database that rows are added to."""
        return self.own if self.shared is None else self.shared.name

    def compress(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Compresses the rows added to a database of `compressed`."""
        if self.own != OWN and self.shared is None:
            connection.execute(f'CHECKPOINT "{self.own}"')


def keep(
    connection: duckdb.DuckDBPyConnection,
    queries: Library,
    query: Query,
    installed: Macros,
    kept: set[str],
    create: Callable[[Query, str], None],
    *,
    is_report: bool = False,
    values: Mapping[str, object] | None = None,
) -> None:
    """Computes the blocks that a query calls and that `kept` does not name, callees first.

    `create` makes a table of a block's rows, a TEMP table if they are not shared. Some are worth it
    only for the many queries of a report. Rows are those for a block's default values: a block is
    left out if `values`, those of the query's parameters, has another value under the same name.
    Where the scope lacks what a block requires, its table has no rows and nothing is planned.
    """
    rows = kept.shared if isinstance(kept, Kept) else None
    exist: dict[str, bool] = {}
    database = kept.database if isinstance(kept, Kept) else OWN
    when = (True, FOR_REPORTS) if is_report else (True,)
    for block in queries.called_by(query, installed.held):
        key = str(block.key)
        if key in kept or block.header is None or block.header.computed_once not in when:
            continue
        if any(
            each.default != (values or {}).get(each.name, each.default) for each in block.parameters
        ):
            continue
        with nullcontext(True) if rows is None else rows.computing(key) as is_missing:
            # Its own macro is not needed, and those above it are planned sooner when it reads a
            # table.
            is_computed = is_missing and _may_have_rows(connection, block, exist)
            if is_computed or block.parameters:
                queries.install_for(connection, block, installed)
            if is_computed:
                create(block, f"kept {key}")
                if isinstance(kept, Kept):
                    kept.compress(connection)
            elif is_missing:
                _create_empty(connection, block, database)
        hold(connection, block, f'"{database}".main."kept {key}"', installed)
        kept.add(key)


def _may_have_rows(
    connection: duckdb.DuckDBPyConnection, block: Query, exist: dict[str, bool]
) -> bool:
    """Whether there are rows of each entry that a block requires; `exist` is what is known."""
    assert block.header is not None
    for entry in block.header.requires_rows:
        if entry not in exist:
            statements.execute(connection, f"SELECT {required_rows.exists(entry)}")
            exist[entry] = connection.fetchall() == [(True,)]
        if not exist[entry]:
            return False
    return True


def _create_empty(connection: duckdb.DuckDBPyConnection, block: Query, database: str) -> None:
    """Creates the table of a block without rows."""
    assert block.header is not None
    columns = ", ".join(f'NULL::{c.type} AS "{c.name}"' for c in block.header.columns)
    kind = "TEMP TABLE" if database == OWN else "TABLE"
    name = f'"{database}".main."kept {block.key}"'
    text = f"CREATE OR REPLACE {kind} {name} AS SELECT {columns} WHERE false"
    statements.execute(connection, text)


def give(
    connection: duckdb.DuckDBPyConnection,
    rows: Mapping[str, pa.Table],
    queries: Library,
    installed: Macros,
    kept: set[str],
    parameters: Mapping[str, Value] | None = None,
) -> None:
    """Keeps rows of blocks that were computed elsewhere, by the pinned names of the blocks.

    They are those of the given values of parameters, else of the default values: a call with other
    values is an error, as rows that depend on more than this connection has cannot be computed.
    """
    for key, table in rows.items():
        connection.register("rows given", table)
        connection.execute(f'CREATE OR REPLACE TEMP TABLE "kept {key}" AS FROM "rows given"')
        connection.unregister("rows given")
        block, table_kept = queries.queries[key], f'temp.main."kept {key}"'
        _hold(connection, block, _given(block, table_kept, parameters or {}), installed)
        kept.add(key)


def hold(
    connection: duckdb.DuckDBPyConnection, block: Query, table: str, installed: Macros
) -> None:
    """Makes the macro of a block read its kept rows: a table, or a query in parentheses."""
    _hold(connection, block, _macro(block, table), installed)


def _hold(
    connection: duckdb.DuckDBPyConnection, block: Query, macro: str, installed: Macros
) -> None:
    connection.execute(macro)
    installed.hold([str(block.key)])


def _macro(block: Query, table: str) -> str:
    """The macro of a block whose rows of default values are in a table; others are computed."""
    head = block.macro_head(temp=True)
    if not block.parameters:
        return f"{head} FROM {table}"
    is_kept = _has_values(block, {})
    # Of each call, the database plans only the side whose condition is true.
    return (
        f"{head} FROM {table} WHERE {is_kept}\n"
        f"UNION ALL FROM ({block.macro_body}\n) WHERE NOT ({is_kept})"
    )


def _given(block: Query, table: str, values: Mapping[str, Value]) -> str:
    """The macro of a block whose rows of some values of its parameters are in a table."""
    head = block.macro_head(temp=True)
    if not block.parameters:
        return f"{head} FROM {table}"
    wrong = sql_literal(f"{block.key} is called with other values than those of the query")
    return (
        f"{head} FROM {table} "
        f"WHERE CASE WHEN {_has_values(block, values)} THEN true ELSE error({wrong}) END"
    )


def _has_values(block: Query, values: Mapping[str, Value]) -> str:
    """The condition that arguments are some values, else the default values."""
    return " AND ".join(
        f"p_{each.name} IS NOT DISTINCT FROM {sql_literal(values.get(each.name, each.default))}"
        for each in block.parameters
    )


def forget(
    connection: duckdb.DuckDBPyConnection,
    kept: set[str],
    installed: Macros,
    needed: Collection[str] = (),
) -> None:
    """Drops the rows of all kept blocks but those needed, as the scope changes or for memory.

    Shared rows stay for other connections.
    """
    own = kept.own if isinstance(kept, Kept) else OWN
    for key in kept.difference(needed):
        connection.execute(f'DROP MACRO TABLE "{key}"')
        connection.execute(f'DROP TABLE IF EXISTS "{own}".main."kept {key}"')
        installed.release(key)
        kept.remove(key)
