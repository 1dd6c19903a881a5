"""Says of a query without rows what the scope lacks of what it reads.

The key `needs` of its header says so, or the tables without rows: what these hold, and what records
it, is in `queries/recording.toml`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING

from warehouse.resources import sql_folder
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Query
    from warehouse.query.session import Session

FILE = "recording.toml"
_MOST = 3  # tables that a sentence names


def note(session: Session, query: Query) -> str:
    """What to say of a query or statement without rows; "" where nothing is known."""
    why = lack(session, query) if query.header is None else reason(session, query)
    return f"0 rows. {why}" if why else ""


def reason(session: Session, query: Query) -> str:
    """Why a query of the library has no rows in a session: one sentence."""
    if query.header and query.header.needs:
        return f"The query needs {query.header.needs}."
    if why := lack(session, query):
        return why
    window = session.selection.from_ns is not None or session.selection.to_ns is not None
    return f"Nothing in the scope{' and its time window' if window else ''} matches."


def lack(session: Session, query: Query) -> str | None:
    """What the scope lacks of all that a query or statement reads; None: it lacks nothing."""
    missing = _without_rows(session.connection, _read(session, query))
    lacks = ", ".join(f"no {named(table)}" for table in missing[:_MOST])
    return f"Of what the query reads, the scope has {lacks}." if missing else None


def _read(session: Session, query: Query) -> list[str]:
    """The described tables that a query, or what it calls, reads."""
    called = session.queries.closure([query, *session.queries.called_by(query)])
    words = {word for each in called for word in each.words}
    return [table for table in _described() if words & {table, f"whole_{table}"}]


def _without_rows(connection: duckdb.DuckDBPyConnection, tables: list[str]) -> list[str]:
    if not tables:
        return []
    exist = ", ".join(f"EXISTS (FROM {table})" for table in tables)
    has_rows = database.one(connection, f"SELECT {exist}")
    return [table for table, has in zip(tables, has_rows, strict=True) if not has]


def named(table: str) -> str:
    """What a table holds, and what records it; its name if it is not described."""
    if table not in _described():
        return f"rows of {table}"
    of = _described()[table]
    return f"{of['holds']} ({of['recorded']})" if "recorded" in of else of["holds"]


@cache
def _described() -> dict[str, dict[str, str]]:
    return tomllib.loads((sql_folder("queries") / FILE).read_text())
