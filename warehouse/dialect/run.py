"""Readies a connection for a rewritten script: macros, Perfetto's tables, what the script makes.

Everything is TEMP, so that it works on a locked read-only connection and leaves nothing behind.
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
    """Makes the macros and views. The scope's views must be there: these are built on them."""
    install_macros(connection)
    presentations = presentation.prepare(connection)
    connection.execute(_slices(connection, presentations))
    connection.execute(_text("tables.sql"))


def _slices(connection: duckdb.DuckDBPyConnection, presentations: dict[str, Presentation]) -> str:
    """The view of slices with their arguments, those stored in detail tables included."""
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
    """SQLite's operators and functions alone; they need no warehouse."""
    connection.execute(_text("macros.sql"))


def _text(file: str) -> str:
    return resources.files("warehouse.dialect").joinpath(file).read_text("utf-8")


def prepare(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """The one SELECT that answers a script in PerfettoSQL, once this has run what it needs.

    Raises UnsupportedSql for what cannot be rewritten, QueryError for what fails while it runs.
    """
    script = translate(text)
    install(connection)
    return answer(connection, script)


def answer(connection: duckdb.DuckDBPyConnection, script: Script) -> str:
    """The same for a script that is translated already, where everything is installed."""
    try:
        if script.uses_arrows:
            _keep_arrows(connection)
        for statement in script.setup:
            connection.execute(statement)
        return _with_plain_types(connection, script)
    except duckdb.Error as error:
        raise query_error(error) from None


def _keep_arrows(connection: duckdb.DuckDBPyConnection) -> None:
    """Finding all arrows takes long, and what follows them would do it again at every step."""
    kept = name("perfetto kept flow")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {kept} AS FROM perfetto_flow")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW perfetto_flow AS FROM {kept}")


def _with_plain_types(connection: duckdb.DuckDBPyConnection, script: Script) -> str:
    """The query with a plain type for every column. Where types vary by row, only the rows tell
    which one fits them all, so these are fetched first."""
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
