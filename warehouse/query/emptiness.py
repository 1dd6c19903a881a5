"""Explains why a query has no rows: which tables that it reads are empty in the scope.

The key `needs` of its header says so, or the tables without rows: what these hold, and what records
it, is in `queries/recording.toml`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING

from warehouse.library import required_rows
from warehouse.resources import sql_folder
from warehouse.store import database

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warehouse.library.library import Query
    from warehouse.query.session import Session

FILE = "recording.toml"
_MOST = 3  # tables that a sentence names


def note(session: Session, query: Query) -> str:
    """A sentence about a query or statement without rows; "" if the reason is unknown."""
    why = lack(session, query) if query.header is None else reason(session, query)
    return f"0 rows. {why}" if why else ""


def reason(session: Session, query: Query) -> str:
    """A sentence why a library query has no rows in a session."""
    if query.header and query.header.needs:
        return f"The query needs {query.header.needs}."
    if why := lack(session, query):
        return why
    window = session.selection.from_ns is not None or session.selection.to_ns is not None
    return f"Nothing in the scope{' and its time window' if window else ''} matches."


def lack(session: Session, query: Query) -> str | None:
    """A sentence on the tables of a query or statement that are empty in scope; None: none is."""
    exist = _exist(session, {table: f"EXISTS (FROM {table})" for table in _read(session, query)})
    missing = [table for table, has_rows in exist if not has_rows]
    lacks = ", ".join(f"no {named(table)}" for table in missing[:_MOST])
    return f"Of what the query reads, the scope has {lacks}." if missing else None


def _read(session: Session, query: Query) -> list[str]:
    """The described tables that a query, or what it calls, reads."""
    called = session.queries.closure([query, *session.queries.called_by(query)])
    words = {word for each in called for word in each.words}
    return [table for table in _described() if words & {table, f"whole_{table}"}]


def lacking(session: Session, query: Query) -> list[str]:
    """The entries of `requires.rows` that the scope lacks: without them a query has no rows."""
    entries = query.header.requires_rows if query.header else ()
    exist = _exist(session, {entry: required_rows.exists(entry) for entry in entries})
    return [entry for entry, has_rows in exist if not has_rows]


def _exist(session: Session, conditions: Mapping[str, str]) -> Iterable[tuple[str, bool]]:
    """Names with whether their conditions hold; what is known of the scope is not read again."""
    known = session.recorded
    unknown = [name for name in conditions if name not in known]
    if unknown:
        sql = f"SELECT {', '.join(conditions[name] for name in unknown)}"
        known.update(zip(unknown, database.one(session.connection, sql), strict=True))
    return [(name, known[name]) for name in conditions]


def named(table: str) -> str:
    """The content of a table, and its source; its name if it is not described."""
    if table not in _described():
        return f"rows of {table}"
    of = _described()[table]
    return f"{of['holds']} ({of['recorded']})" if "recorded" in of else of["holds"]


@cache
def _described() -> dict[str, dict[str, str]]:
    return tomllib.loads((sql_folder("queries") / FILE).read_text())
