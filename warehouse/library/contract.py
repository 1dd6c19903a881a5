"""Checks the text and the rows of queries against their headers.

Without a warehouse: structure and exact types on an empty one. With one: keys, NULLs and the checks
of columns on real rows. `warehouse.library.lock` compares versions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import ContractError, UsageError, query_error
from warehouse.library.arguments import arguments
from warehouse.library.library import BUILT_IN, Library, Query
from warehouse.library.parameter import Value
from warehouse.store import database, statements
from warehouse.wording import counted

if TYPE_CHECKING:
    import duckdb

_CHECKED = 'temp.main."rows under check"'


def check(library: Library, queries: Sequence[Query] | None = None) -> list[str]:
    """The problems of the queries of a library, or of some: "name@version: problem"."""
    chosen = list(library.queries.values()) if queries is None else list(queries)
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        database.create_empty(path)
        with database.Reader(path) as reader:
            ours = [query for query in chosen if query.origin == BUILT_IN]
            others = [query for query in chosen if query.origin != BUILT_IN]
            found |= _check_one_by_one(reader.connection, library, ours)
            found |= _check_together(reader.connection, library, others)
    return [f"{query.key}: {problem}" for query in chosen for problem in found[str(query.key)]]


def _check_one_by_one(
    connection: duckdb.DuckDBPyConnection, library: Library, queries: Sequence[Query]
) -> dict[str, list[str]]:
    """Checks each query on the declared columns of those it calls, which are checked themselves.

    The database plans a macro with all it calls, however deep: this takes a third of the time.
    What a callee does with its arguments is not seen; digests of rows cover it.
    """
    import duckdb

    from warehouse.library import structure

    for query in library.closure(queries):
        statements.execute(connection, query.outline(temp=True))
    found = {}
    for query in (each.on(connection) for each in queries):
        wrong = structure.problems(query, library)
        if not wrong:
            try:
                connection.execute(query.macro(temp=True))
                wrong = types(connection, query)
            except duckdb.Error as error:
                wrong = [query_error(error).message]
            statements.execute(connection, query.outline(temp=True))
        found[str(query.key)] = wrong
    return found


def _check_together(
    connection: duckdb.DuckDBPyConnection, library: Library, queries: Sequence[Query]
) -> dict[str, list[str]]:
    """Checks each query with the text of all it calls."""
    from warehouse.library import structure

    refused = _install(connection, library.closure(queries))
    found = {}
    for query in (each.on(connection) for each in queries):
        wrong = structure.problems(query, library)
        # The database has no better message for a query with structural problems, nor for one
        # that calls a refused query.
        blamed = {each.key for each in library.closure([query])} & refused.keys()
        if not wrong and blamed == {query.key}:
            wrong = [refused[query.key]]
        elif not wrong and not blamed:
            wrong = types(connection, query)
        found[str(query.key)] = wrong
    return found


def _install(
    connection: duckdb.DuckDBPyConnection, queries: Sequence[Query]
) -> dict[str | None, str]:
    """Makes every version a macro, as far as the database takes it: what is refused, and why."""
    import duckdb

    refused: dict[str | None, str] = {}
    for query in queries:
        try:
            connection.execute(query.on(connection).macro(temp=True))
        except duckdb.Error as error:
            refused[query.key] = query_error(error).message
    return refused


def types(connection: duckdb.DuckDBPyConnection, query: Query) -> list[str]:
    """Differences of the result's names and types from the header; the macros are installed."""
    import duckdb

    assert query.header is not None
    try:
        relation = connection.sql(query.bound_sql, params=_defaults(query) or None)
    except duckdb.Error as error:
        return [query_error(error).message]
    actual = list(zip(relation.columns, map(str, relation.types), strict=True))
    declared = [(column.name, column.type) for column in query.header.columns]
    return [
        f"column {got[0]} is of type {got[1]}, declared is {expected[0]} {expected[1]}"
        for got, expected in zip(actual, declared, strict=True)
        if got != expected
    ]


def _defaults(query: Query) -> dict[str, Value]:
    return {parameter.name: parameter.default for parameter in query.parameters}


def check_rows(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    parameters: Mapping[str, object] | None = None,
) -> list[str]:
    """Violations of the header by the rows of a query: unique grain, NULLs, checks of columns."""
    import duckdb

    assert query.header is not None
    values = arguments(query, parameters or {})
    query = query.on(connection)
    try:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_CHECKED} AS {query.bound_sql}", values or None
        )
        found = list(_broken(connection, query))
        connection.execute(f"DROP TABLE {_CHECKED}")
    except duckdb.Error as error:
        return [query_error(error).message]
    return found


def _broken(connection: duckdb.DuckDBPyConnection, query: Query) -> Iterator[str]:
    assert query.header is not None
    grain = ", ".join(f'"{name}"' for name in query.header.grain)
    if grain:
        doubled = _count(
            connection,
            f"(SELECT 1 FROM {_CHECKED} GROUP BY {grain} HAVING count(*) > 1)",
        )
        if doubled:
            yield f"grain ({grain}) not unique: {counted(doubled, 'value')} with several rows"
    for column in query.header.columns:
        if not column.nullable:
            n_null = _count(connection, f'{_CHECKED} WHERE "{column.name}" IS NULL')
            if n_null:
                yield f"NULL in {column.name}: {counted(n_null, 'row')}"
        if column.check:
            n_wrong = _count(connection, f'{_CHECKED} WHERE NOT ("{column.name}" {column.check})')
            if n_wrong:
                yield f"check {column.name} {column.check} violated: {counted(n_wrong, 'row')}"


def _count(connection: duckdb.DuckDBPyConnection, source: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    return int(row[0]) if row else 0


def changelog(library: Library) -> str:
    """The changes of our queries as Markdown, by name, newest first."""
    lines = ["# Changes of the queries", "", "Written by `tw queries changelog`.", ""]
    for name, query in library.newest.items():
        if query.origin != BUILT_IN:
            continue
        assert query.header is not None
        lines += [f"## {name}", "", query.header.title, ""]
        changes = sorted(query.header.changes.items(), reverse=True)
        lines += [f"- version {version}: {text}" for version, text in changes] + [""]
    return "\n".join(lines)


TEMPLATE = """/* ---
name = "{name}"
version = 1
title = "What it shows, in one sentence"
grain = ["trace_id"]
requires = {{ schema = ">=1" }}
columns = ["trace_id", "n_slices"]

[param.min_dur_ns]
type = "BIGINT"
unit = "ns"
default = 0
min = 0
help = "Minimum duration of a slice"

[column]
n_slices = {{ type = "BIGINT", unit = "count", check = ">= 0", help = "Number of these slices" }}

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  count(*) AS n_slices
FROM slice
WHERE dur >= $min_dur_ns::BIGINT
GROUP BY trace_id
ORDER BY trace_id
"""


def new_query(name: str, folder: Path) -> Path:
    """Writes an example query to start from; refuses to touch an existing file."""
    if not name.isidentifier() or name != name.lower():
        raise UsageError(f"invalid query name {name!r}", hint="Use lower case letters, digits, _.")
    path = folder / f"{name}.sql"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.format(name=name))
    except FileExistsError:
        raise UsageError(f"{path} exists already") from None
    except OSError as error:
        path.unlink(missing_ok=True)  # empty
        raise ContractError(f"{path} cannot be written: {error.strerror}") from None
    return path
