"""Runs queries whose rows are those of each trace alone on a part of the traces at a time.

Of many traces, joins and sorts of a whole run exceed the memory limit of a report, and are written
to the disk and read again; those of a part do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warehouse.library.installed import Macros
from warehouse.query import conditions, execute, kept, scope
from warehouse.query.kept import Kept

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query
    from warehouse.library.parameter import Value
    from warehouse.query.selection import Scope

MOST_SLICES = 1_250_000  # of the traces of a part
_ORDER = re.compile(
    r"\bORDER BY\s+(?:\w+\.)?run_id,\s*(?P<rank>(?:\w+\.)?rank,\s*)?(?:\w+\.)?trace_id\b"
    r"(?!\s+(?:ASC|DESC|NULLS)\b)[^()]*\Z"
)


@dataclass
class _Part:
    """A connection whose scope is some of the traces."""

    connection: duckdb.DuckDBPyConnection
    condition: str  # of their rows
    installed: Macros = field(default_factory=Macros)


class Parts:
    """The traces of a scope in parts, each with a connection; closed with the scope."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        seen: Scope,
        queries: Library,
        configure: Callable[[duckdb.DuckDBPyConnection], None],
    ) -> None:
        self._connection, self._queries, self._configure = connection, queries, configure
        self._stack = ExitStack()
        self._parts: list[_Part] = []
        self._scopes = [
            scope.of_traces(connection, trace_ids, seen.from_ns, seen.to_ns)
            for trace_ids in _divided(connection)
        ]

    @property
    def are_several(self) -> bool:
        """Whether there are parts; captures are causes of what other traces have, so all count."""
        return len(self._scopes) > 1 and not any(each.capture_ids for each in self._scopes)

    def close(self) -> None:
        self._stack.close()
        self._parts = []

    def create_table(
        self, query: Query, values: Mapping[str, Value], table: str, held: Kept
    ) -> None:
        """Runs a query for each part, and keeps all rows as a table of the database of blocks.

        The rows of a trace follow each other in the order of the query.
        """
        for number, part in enumerate(self._opened()):
            self._hold(part, held)
            self._queries.install_for(part.connection, query, part.installed)
            execute.create_table(
                part.connection, query, values, table, database=held.own, appends=number > 0
            )

    def _opened(self) -> list[_Part]:
        if not self._parts:
            self._parts = [self._open(part) for part in self._scopes]
        return self._parts

    def _open(self, part: Scope) -> _Part:
        connection = self._stack.enter_context(self._connection.cursor())
        scope.apply(connection, part)
        self._configure(connection)
        return _Part(connection, conditions.among("trace_id", part.trace_ids))

    def _hold(self, part: _Part, held: Kept) -> None:
        """Makes the macros of kept blocks read the part of their rows."""
        for key in part.installed.held - held:
            part.connection.execute(f'DROP MACRO TABLE "{key}"')
            part.installed.release(key)
        for key in sorted(held - part.installed.held):
            block = self._queries.queries[key]
            if block.parameters:  # for other values than the default ones it is computed
                self._queries.install_for(part.connection, block, part.installed)
            table = f'"{held.own}".main."kept {key}"'
            if is_of_traces(block):
                table = f"(FROM {table} WHERE {part.condition})"
            kept.hold(part.connection, block, table, part.installed)


def is_of_traces(query: Query) -> bool:
    """Whether the rows of a query are those of each trace alone, whose ids they have."""
    header = query.header
    return (
        header is not None
        and header.scale == "trace"
        and any(each.name == "trace_id" for each in header.columns)
    )


def order_of(query: Query) -> str:
    """SQL that puts the rows of all parts into the order of the query; empty if none is known to.

    It must begin with what the rows of a trace have in common.
    """
    found = _ORDER.search(query.text)
    if found is None or not is_of_traces(query):
        return ""
    return f"ORDER BY run_id, {'rank, ' if found['rank'] else ''}trace_id, rowid"


def _divided(connection: duckdb.DuckDBPyConnection) -> Iterator[list[int]]:
    """Traces in the order of their ids, in which they are stored, in parts of about equal size."""
    rows = connection.execute(
        "SELECT t.id, coalesce(s.n, 0) FROM trace AS t LEFT JOIN ("
        "SELECT trace_id, count(*) AS n FROM slice GROUP BY trace_id) AS s ON s.trace_id = t.id "
        "ORDER BY t.id"
    ).fetchall()
    n_slices = sum(n for _, n in rows)
    most = n_slices / max(1, -(-n_slices // MOST_SLICES))
    part: list[int] = []
    n_in_part = 0
    for trace_id, n in rows:
        if part and n_in_part + n / 2 > most:
            yield part
            part, n_in_part = [], 0
        part.append(trace_id)
        n_in_part += n
    if part:
        yield part
