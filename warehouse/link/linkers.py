"""Creates the rows of `link`: runs the linkers (queries/link) and stores their rows.

A linker is a query that returns from_id, to_id, kind, rule and confidence. With the parameter
`trace_id` it links within a trace, with `run_id` across the traces of a run. The query
`clock_offset` returns clock offsets instead of links; they are stored in `clock`
(`warehouse.link.run_links`). Execution traces are linked with timelines by
`warehouse.link.linked_graph`. All functions run in the transaction of their caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import duckdb

from warehouse.errors import UsageError
from warehouse.library import library as libraries
from warehouse.library import required_rows
from warehouse.library.header import without_header
from warehouse.library.library import Library, Query
from warehouse.library.tokens import without_texts
from warehouse.link import clock_offsets, linked_graph, relations
from warehouse.store import database, statements

#: Columns of a linker, in order.
COLUMNS = ("from_id", "to_id", "kind", "rule", "confidence")
#: Names of the rows of import_stat that record which linkers ran and how many links they found:
#: within a trace, and across the traces of a run (stored with its last trace). Their detail is
#: the text of `noted`.
INSIDE, BETWEEN = "linked", "run_linked"
_LINK = re.compile(r"link(?<!\wlink)\b")  # the word; faster to search for than r"\blink\b"
_FOUND = 'temp.main."links found"'
_FEW = 50_000  # links that one thread numbers faster than a further query
#: The condition of linkers of a trace, and what takes its place for several (`within_trace`).
_OF_ONE = "= $trace_id::BIGINT"
_OF_SEVERAL = "BETWEEN $trace_id::BIGINT AND $last_trace_id::BIGINT"


@dataclass(frozen=True)
class Linkers:
    """Returns the newest linkers of a library in run order."""

    library: Library
    of_trace: tuple[Query, ...]
    of_run: tuple[Query, ...]
    clocks: Query | None
    of_graphs: tuple[Query, ...] = ()
    of_tables: tuple[Query, ...] = ()  # not links; see `relations`

    @property
    def all(self) -> list[Query]:
        clocks = [self.clocks] if self.clocks else []
        return [*self.of_trace, *self.of_run, *clocks, *self.of_graphs]


def linkers(library: Library | None = None) -> Linkers:
    """Orders linkers by name, those that read `link` last."""
    library = library or libraries.load()
    found = [query for query in library.newest.values() if query.layer == "link"]
    found.sort(key=lambda query: _reads_links(library, query))
    return Linkers(
        library,
        tuple(q for q in found if _is_linker(q) and _parameter(q) == "trace_id"),
        tuple(q for q in found if _is_linker(q) and _parameter(q) == "run_id"),
        next((q for q in found if q.header and q.header.name == clock_offsets.QUERY), None),
        tuple(linked_graph.queries(library)),
        relations.queries(library),
    )


def with_clocks(known: Linkers, method: str) -> Linkers:
    """Returns the same linkers with another query of clock offsets; raises UsageError if none."""
    query = known.library.newest.get(clock_offsets.QUERY_BY + method)
    if query is None:
        methods = [
            name.removeprefix(clock_offsets.QUERY_BY)
            for name in known.library.newest
            if name.startswith(clock_offsets.QUERY_BY)
        ]
        raise UsageError(
            f"clock method {method!r} not found", hint=f"Methods: {', '.join(sorted(methods))}."
        )
    return replace(known, clocks=query)


def _is_linker(query: Query) -> bool:
    assert query.header is not None
    return tuple(column.name for column in query.header.columns) == COLUMNS


def _parameter(query: Query) -> str:
    return query.parameters[0].name if query.parameters else ""


def _reads_links(library: Library, query: Query) -> bool:
    return any(_names_links(each.text) for each in library.closure([query]))


@cache
def _names_links(text: str) -> bool:
    """Cached: linkers call the same blocks, and every import orders them."""
    sql = without_header(text).lower()
    return bool(_LINK.search(sql) and _LINK.search(without_texts(sql)))


def link_trace(
    connection: duckdb.DuckDBPyConnection, known: Linkers, trace_id: int, run_id: int
) -> None:
    """Rebuilds the links within a trace, of the default set."""
    install(connection, known.library, known.of_trace)
    connection.execute(
        "DELETE FROM link WHERE trace_id = ? AND link_set IN (SELECT unnest(?))",
        [trace_id, _sets(known.of_trace)],
    )
    (first,) = database.one(
        connection,
        "SELECT coalesce(max(id) + 1, ?) FROM link WHERE trace_id = ?",
        [trace_id << 32, trace_id],
    )
    _delete_stat(connection, INSIDE, trace_id)
    found: list[tuple[Query, int]] = []
    required = Required(connection, known.of_trace, f"trace_id = {trace_id}")
    for query in known.of_trace:
        n_links = 0
        if required.exist(query):
            n_links = insert(
                connection, query, {"trace_id": trace_id}, f"{first} + n", str(trace_id), run_id
            )
        first += n_links
        found.append((query, n_links))
    note(connection, found, INSIDE, trace_id)
    relations.link(connection, known.of_tables, [trace_id])
    disable(connection)


def link_traces(
    connection: duckdb.DuckDBPyConnection, known: Linkers, run_of: Mapping[int, int]
) -> None:
    """Creates the links within new traces, whose ids are consecutive; `run_of` has their runs.

    Linkers that declare `within_trace` run once for all traces, the others for each.
    """
    _link_together(connection, known, _Together(dict(run_of)))


def relink_traces(
    connection: duckdb.DuckDBPyConnection, known: Linkers, run_of: Mapping[int, int]
) -> None:
    """Rebuilds the links within traces, of the default set; no other trace has an id between."""
    together = _Together(dict(run_of))
    connection.execute(
        f"DELETE FROM link WHERE {together.condition} AND link_set IN (SELECT unnest(?))",
        [_sets(known.of_trace)],
    )
    rows = connection.execute(
        f"SELECT trace_id, max(id) + 1 FROM link WHERE {together.condition} GROUP BY trace_id"
    )
    together.next_id |= dict(rows.fetchall())
    connection.execute(f"DELETE FROM import_stat WHERE {together.condition} AND name = ?", [INSIDE])
    _link_together(connection, known, together)


def _link_together(
    connection: duckdb.DuckDBPyConnection, known: Linkers, together: _Together
) -> None:
    install(connection, known.library, known.of_trace)
    found: list[tuple[Query, dict[int, int]]] = []
    required = Required(connection, known.of_trace, together.condition)
    for query in known.of_trace:
        n_links: dict[int, int] = {}
        if required.exist(query):
            n_links = together.insert(connection, query)
        found.append((query, n_links))
    _note_stats(connection, found, together)
    _note_versions(connection, [query for query, _ in found])
    relations.link(connection, known.of_tables, list(together.run_of))
    disable(connection)


@dataclass
class _Together:
    """Traces that are linked together; `next_id` is that of the next link of each."""

    run_of: dict[int, int]
    next_id: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.next_id = {trace_id: trace_id << 32 for trace_id in self.run_of}

    @property
    def condition(self) -> str:
        """The condition on trace_id that selects them."""
        return f"trace_id BETWEEN {min(self.run_of)} AND {max(self.run_of)}"

    def insert(self, connection: duckdb.DuckDBPyConnection, query: Query) -> dict[int, int]:
        """Stores the rows of a linker; returns their number by trace."""
        assert query.header is not None
        if query.header.within_trace:
            sql = query.bound_sql.replace(_OF_ONE, _OF_SEVERAL)
            arguments = {"trace_id": min(self.run_of), "last_trace_id": max(self.run_of)}
            return self._insert(connection, query, sql, arguments)
        n_links: dict[int, int] = {}
        for trace_id in self.run_of:
            n_links |= self._insert(connection, query, query.bound_sql, {"trace_id": trace_id})
        return n_links

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: Query,
        sql: str,
        arguments: dict[str, int],
    ) -> dict[int, int]:
        assert query.header is not None
        with linked_graph.blaming(query):
            statements.execute(
                connection, f"CREATE OR REPLACE TEMP TABLE {_FOUND} AS {sql}", arguments
            )
        # The rows of a trace follow each other: linkers order by ids, which begin with the trace's.
        rows = connection.execute(
            f"SELECT to_id >> 32, count(*), min(rowid) FROM {_FOUND} GROUP BY ALL"
        ).fetchall()
        if not rows:
            return {}
        connection.execute(
            "INSERT INTO link SELECT o.first_id + f.rowid - o.first_row, o.trace_id, o.run_id, "
            "f.from_id, f.to_id, f.kind, f.rule, f.confidence, $set, $name, $version "
            f"FROM {_FOUND} AS f JOIN (SELECT unnest($traces::BIGINT[]) AS trace_id, "
            "unnest($runs::BIGINT[]) AS run_id, unnest($ids::BIGINT[]) AS first_id, "
            "unnest($rows::BIGINT[]) AS first_row) AS o ON o.trace_id = (f.to_id >> 32)",
            {
                "set": query.header.link_set,
                "name": query.header.name, "version": query.header.version,
                "traces": [trace_id for trace_id, _, _ in rows],
                "runs": [self.run_of[trace_id] for trace_id, _, _ in rows],
                "ids": [self.next_id[trace_id] for trace_id, _, _ in rows],
                "rows": [first_row for _, _, first_row in rows],
            },
        )  # fmt: skip
        n_links = {int(trace_id): int(n) for trace_id, n, _ in rows}
        for trace_id, n in n_links.items():
            self.next_id[trace_id] += n
        return n_links


def _sets(queries: Iterable[Query]) -> list[str]:
    """The link sets of some linkers."""
    return sorted({query.header.link_set for query in queries if query.header})


def requires_rows(query: Query) -> tuple[str, ...]:
    """Returns the rows that a linker requires: each `table`, or `table without column`."""
    return query.header.requires_rows if query.header else ()


class Required:
    """The rows that linkers require. Most traces have no work for most linkers, and planning a
    linker takes longer than linking a small trace.

    `condition` is one on `trace_id`. Rows are searched once for all linkers, but for links, which
    earlier linkers may find.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, queries: Sequence[Query], condition: str
    ) -> None:
        self._connection = connection
        self._condition = condition
        required = {rows for query in queries for rows in requires_rows(query)}
        self._has = self._search(sorted(rows for rows in required if not _are_links(rows)))

    def exist(self, query: Query) -> bool:
        """Whether there are rows of each kind that a linker requires."""
        links = list(filter(_are_links, requires_rows(query)))
        others = (rows for rows in requires_rows(query) if rows not in links)
        return all(self._has[rows] for rows in others) and all(self._search(links).values())

    def _search(self, required: Sequence[str]) -> dict[str, bool]:
        if not required:
            return {}
        exist = ", ".join(required_rows.exists(rows, self._condition) for rows in required)
        has_rows = database.one(self._connection, f"SELECT {exist}")
        return dict(zip(required, has_rows, strict=True))


def _are_links(rows: str) -> bool:
    return any(table == "link" for table, _ in required_rows.alternatives(rows))


def install(
    connection: duckdb.DuckDBPyConnection, library: Library, queries: Sequence[Query]
) -> None:
    """Creates the macros that linkers call, and adapts the optimizer to uncommitted rows."""
    for query in library.closure(queries):
        if query not in queries:
            query.install(connection)
    # Rows of an open transaction have no statistics, so the optimizer takes the largest table for
    # the smallest and keeps it in memory. The link queries name the smaller side of a join last.
    disable(connection, "join_order,build_side_probe_side")
    # For the same reason an ASOF join would loop over all pairs, taking both sides for tiny.
    connection.execute("SET asof_loop_join_threshold = 0")


def disable(connection: duckdb.DuckDBPyConnection, more: str = "") -> None:
    """Disables optimizers: those disabled on all our connections, and `more`."""
    names = [database.NO_WRONG_STATISTICS["disabled_optimizers"], *([more] if more else [])]
    connection.execute(f"SET disabled_optimizers = '{','.join(names)}'")


def insert(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    argument: dict[str, int],
    link_id: str,
    trace_id: str,
    run_id: int,
    kept: str | None = None,
) -> int:
    """Stores the rows of a linker and those of the table `kept`, ordered by `to_id`.

    n in `link_id` counts them from 0. Returns their number.
    """
    assert query.header is not None
    # Found first and stored afterwards: rows that are appended to a table after an append of none
    # are not seen within the same transaction (DuckDB 2.0), and later linkers read these.
    with linked_graph.blaming(query):
        sql = query.bound_sql
        if kept is not None:
            sql = f"FROM ({sql}) UNION ALL FROM {kept} ORDER BY to_id"
        table = f"CREATE OR REPLACE TEMP TABLE {_FOUND} AS {sql}"
        ((n_links,),) = statements.execute(connection, table, argument).fetchall()
    if n_links:
        connection.execute(
            f"INSERT INTO link SELECT {link_id}, {trace_id}, {run_id}, from_id, to_id, kind, rule, "
            "confidence, $set, $name, $version "
            f"FROM {_numbered(connection, int(n_links))}",
            {
                "set": query.header.link_set,
                "name": query.header.name,
                "version": query.header.version,
            },
        )
    return int(n_links)


def _numbered(connection: duckdb.DuckDBPyConnection, n_links: int) -> str:
    """The links found with their number n, in their order: every linker orders its rows."""
    if n_links <= _FEW:
        return f"(SELECT *, row_number() OVER () - 1 AS n FROM {_FOUND})"
    # A window would use one thread.
    (first_row,) = database.one(connection, f"SELECT min(rowid) FROM {_FOUND}")
    return f"(SELECT *, rowid - {first_row} AS n FROM {_FOUND})"


def noted(query: Query) -> str:
    """A linker and its contract: `name@version contract=` and the first 16 digits of the digest."""
    return f"{query.key} {query.digest[: len('contract=') + 16]}"


def note(
    connection: duckdb.DuckDBPyConnection,
    found: Sequence[tuple[Query, int]],
    what: str,
    trace_id: int,
) -> None:
    """Records which linkers ran, how many links each found, and their digests."""
    _note_stat(connection, found, what, trace_id)
    _note_versions(connection, [query for query, _ in found])


def _note_stat(
    connection: duckdb.DuckDBPyConnection,
    found: Sequence[tuple[Query, int]],
    what: str,
    trace_id: int,
) -> None:
    connection.execute(
        "INSERT INTO import_stat SELECT first + n, $trace, $what, key, n_rows, 'count' FROM ("
        "SELECT unnest($keys::VARCHAR[]) AS key, unnest($counts::BIGINT[]) AS n_rows, "
        "unnest(range(len($keys))) AS n) CROSS JOIN ("
        "SELECT coalesce(max(id) + 1, $first) AS first FROM import_stat WHERE trace_id = $trace)",
        {
            "first": trace_id << 32, "trace": trace_id, "what": what,
            "keys": [noted(query) for query, _ in found],
            "counts": [n_rows for _, n_rows in found],
        },
    )  # fmt: skip


def _note_stats(
    connection: duckdb.DuckDBPyConnection,
    found: Sequence[tuple[Query, dict[int, int]]],
    together: _Together,
) -> None:
    """Records how many links each linker of traces found in each of several."""
    first_id = {trace_id: trace_id << 32 for trace_id in together.run_of}
    last_ids = connection.execute(
        f"SELECT trace_id, max(id) FROM import_stat WHERE {together.condition} GROUP BY trace_id"
    ).fetchall()
    first_id |= {trace_id: last_id + 1 for trace_id, last_id in last_ids}
    rows = [
        (first_id[trace_id] + n, trace_id, noted(query), n_links.get(trace_id, 0))
        for trace_id in together.run_of
        for n, (query, n_links) in enumerate(found)
    ]
    columns = ("ids", "traces", "keys", "counts")
    connection.execute(
        "INSERT INTO import_stat SELECT unnest($ids::BIGINT[]), unnest($traces::BIGINT[]), $what, "
        "unnest($keys::VARCHAR[]), unnest($counts::BIGINT[]), 'count'",
        {"what": INSIDE, **dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))},
    )


def _note_versions(connection: duckdb.DuckDBPyConnection, queries: Sequence[Query]) -> None:
    connection.execute(f"DROP TABLE IF EXISTS {_FOUND}")
    connection.execute(
        "INSERT INTO query_version SELECT *, now() AT TIME ZONE 'UTC' FROM ("
        "SELECT unnest($names::VARCHAR[]) AS name, unnest($versions::BIGINT[]) AS version, "
        "unnest($hashes::VARCHAR[]) AS content_hash) AS new WHERE NOT EXISTS ("
        "FROM query_version AS old WHERE old.name = new.name AND old.version = new.version "
        "AND old.content_hash = new.content_hash)",
        {
            "names": [query.header.name for query in queries if query.header],
            "versions": [query.header.version for query in queries if query.header],
            "hashes": [query.digest.partition("=")[2] for query in queries],
        },
    )


def _delete_stat(connection: duckdb.DuckDBPyConnection, what: str, trace_id: int) -> None:
    connection.execute("DELETE FROM import_stat WHERE trace_id = ? AND name = ?", [trace_id, what])
