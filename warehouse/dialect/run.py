"""Prepares a connection for a translated script: macros, Perfetto's tables, the script's objects.

All objects are TEMP, so that this works on a locked read-only connection.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import duckdb

from warehouse.dialect.perfetto import Script, translate
from warehouse.dialect.values import Type, name
from warehouse.errors import query_error
from warehouse.export import presentation
from warehouse.export.presentation import Presentation
from warehouse.store.database import one

_HOLDER = "perfetto result"


def install(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates the macros and views; requires the views of the scope."""
    install_macros(connection)
    presentations = presentation.prepare(connection)
    connection.execute(_slices(connection, presentations))
    connection.execute(_text("tables.sql"))


def _slices(connection: duckdb.DuckDBPyConnection, presentations: dict[str, Presentation]) -> str:
    """Returns the view of slices with all arguments, including those stored in detail tables."""
    args, category, joins = ["s.args_json"], "s.category", ""
    for n, each in enumerate(presentations.values()):
        encoder = each.arguments() if each.arguments else None
        query = encoder.json_query(connection) if encoder else None
        if encoder and query:
            args.append(f"a{n}.args_json")
            category = encoder.category.format(arguments=f"a{n}", otherwise=category)
            joins += f" LEFT JOIN ({query}) AS a{n} ON a{n}.slice_id = s.id"
    if not joins:
        return "CREATE OR REPLACE TEMP VIEW perfetto_source AS FROM slice"
    return f"""
        CREATE OR REPLACE TEMP VIEW perfetto_source AS
        SELECT s.* REPLACE (coalesce({", ".join(args)}) AS args_json, {category} AS category)
        FROM slice AS s{joins}
    """


def install_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates SQLite's operators and functions; requires no warehouse."""
    connection.execute(_text("macros.sql"))


def _text(file: str) -> str:
    return resources.files("warehouse.dialect").joinpath(file).read_text("utf-8")


def prepare(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """Runs the setup of a PerfettoSQL script and returns its SELECT in DuckDB's SQL.

    Raises UnsupportedSql if it cannot be translated, QueryError if its setup fails.
    """
    script = translate(text)
    install(connection)
    return answer(connection, script)


def answer(connection: duckdb.DuckDBPyConnection, script: Script) -> str:
    """Like `prepare`, for a translated script, with macros and views created."""
    try:
        if script.uses_arrows:
            _keep_arrows(connection)
        for statement in script.setup:
            connection.execute(statement)
        return _with_plain_types(connection, script)
    except duckdb.Error as error:
        raise query_error(error) from None


def _keep_arrows(connection: duckdb.DuckDBPyConnection) -> None:
    """Materialises flows: finding them is slow, and recursive functions read them per step."""
    kept = name("perfetto kept flow")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {kept} AS FROM perfetto_flow")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW perfetto_flow AS FROM {kept}")


def _with_plain_types(connection: duckdb.DuckDBPyConnection, script: Script) -> str:
    """Returns the query with a plain type for every column. Rows of columns whose type varies are
    materialised first, to find a type that fits all."""
    varying = [column.name for column in script.columns if column.type is Type.ANY]
    if not varying:
        return script.query
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name(_HOLDER)} AS {script.query}")
    counts = ", ".join(
        f"count(({c}).t) = 0, count(({c}).n) = count(({c}).i)" for c in map(name, varying)
    )
    found: tuple[Any, ...] = one(connection, f"SELECT {counts} FROM {name(_HOLDER)}")
    plain = {
        column: _plain(name(column), is_number=found[2 * i], is_whole=found[2 * i + 1])
        for i, column in enumerate(varying)
    }
    listed = ", ".join(
        f"{plain[c.name]} AS {name(c.name)}" if c.name in plain else name(c.name)
        for c in script.columns
    )
    return f"SELECT {listed} FROM {name(_HOLDER)} ORDER BY rowid"


def _plain(column: str, *, is_number: bool, is_whole: bool) -> str:
    if is_number and is_whole:
        return f"({column}).i"
    if is_number:
        return f"({column}).n"
    return f"sqlite_any_text({column})"
