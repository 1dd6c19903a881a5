"""Links execution traces with the timelines of the same ranks: one linked graph for each pair.

Queries find the pairs, match nodes with slices, and derive the dependencies (`link_sets.py` names
them); this module runs them and stores their rows. In a read-only session the rows go to TEMP
tables, and views of the same names show stored and temporary rows together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import TwError
from warehouse.link import link_sets
from warehouse.link.link_sets import DEFAULT
from warehouse.query import scope
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query
    from warehouse.query.session import Session

PAIRS = "linked_pair"
_FOUND = 'temp.main."nodes found"'


@dataclass(frozen=True)
class Pair:
    """An execution trace and the timeline of the same rank."""

    graph_id: int
    trace_id: int
    device_trace_id: int


@dataclass(frozen=True)
class Tables:
    """Where a linked graph goes: the names of three tables."""

    graph: str = "graph"
    node: str = "graph_node"
    edge: str = "graph_edge"


def queries(library: Library, link_set: str = DEFAULT) -> list[Query]:
    """Returns the queries of a link set in run order; none if the library lacks them.

    Raises UsageError for an unknown set.
    """
    rules = link_sets.link_set(link_set)
    names = [PAIRS, rules.nodes, rules.edges, *([rules.refusals] if rules.refusals else [])]
    newest = library.newest
    return [newest[name] for name in names] if newest.keys() >= set(names) else []


def install(connection: duckdb.DuckDBPyConnection, library: Library, link_set: str) -> None:
    """Creates the macros that the queries of a set call."""
    own = queries(library, link_set)
    for query in library.closure(own):
        if query not in own:
            query.install(connection)


def pairs(connection: duckdb.DuckDBPyConnection, library: Library, run_id: int) -> list[Pair]:
    """Returns the pairs of a run, ordered by graph."""
    (n_graphs,) = database.one(
        connection,
        "SELECT count(*) FROM graph AS g JOIN trace AS t ON t.id = g.trace_id WHERE t.run_id = ?",
        [run_id],
    )
    if not n_graphs:
        return []
    rows = connection.execute(library.newest[PAIRS].bound_sql, {"run_id": run_id}).fetchall()
    return [Pair(*map(int, row)) for row in rows]


def sets_of(connection: duckdb.DuckDBPyConnection, run_id: int) -> list[str]:
    """Returns the names of the link sets stored for a run."""
    rows = connection.execute(
        "SELECT DISTINCT g.link_set FROM graph AS g JOIN trace AS t ON t.id = g.trace_id "
        "WHERE t.run_id = ? AND g.link_set IS NOT NULL ORDER BY 1",
        [run_id],
    ).fetchall()
    return [str(name) for (name,) in rows]


def link_run(
    connection: duckdb.DuckDBPyConnection, library: Library, run_id: int, link_set: str = DEFAULT
) -> dict[str, int]:
    """Rebuilds a link set of a run in the caller's transaction; returns rows found per query.

    Raises TwError naming the node when the rules of the set cannot link the traces.
    """
    delete(connection, run_id, link_set)
    found = {query.key or "": 0 for query in queries(library, link_set)}
    for n, pair in enumerate(pairs(connection, library, run_id) if found else ()):
        if not n:
            install(connection, library, link_set)
        found[library.newest[PAIRS].key or ""] += 1
        for key, n_rows in link_pair(connection, library, pair, link_set).items():
            found[key] += n_rows
    return found


def ensure(session: Session, link_set: str) -> None:
    """Makes a link set available to the session for all pairs in its scope.

    Linked graphs that are not stored are created in TEMP tables, which the next scope hides again.
    Raises UsageError for an unknown set, TwError if its rules cannot link the traces.
    """
    connection, library = session.connection, session.queries
    rule_queries = queries(library, link_set)
    stored = connection.execute(
        "SELECT of_graph_id FROM graph WHERE link_set = ?", [link_set]
    ).fetchall()
    missing = [
        pair
        for run_id in session.seen.run_ids
        for pair in (pairs(connection, library, run_id) if rule_queries else ())
        if (pair.graph_id,) not in stored
    ]
    if missing:
        install(connection, library, link_set)
        into = _beside(connection, session.seen)
        for pair in missing:
            link_pair(connection, library, pair, link_set, into)


def _beside(connection: duckdb.DuckDBPyConnection, seen: scope.Scope) -> Tables:
    """Creates TEMP tables, and views of the stored names that show the rows of both."""
    names = {}
    for table in ("graph", "graph_node", "graph_edge"):
        names[table] = f'temp.main."{table} beside"'
        stored = scope.rows_of(connection, seen, table)
        # Empty, even if an earlier set was created here: its views are replaced.
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {names[table]} AS {stored} LIMIT 0")
        connection.execute(
            f'CREATE OR REPLACE TEMP VIEW "{table}" AS {stored} '
            f"UNION ALL BY NAME SELECT * FROM {names[table]}"
        )
    return Tables(names["graph"], names["graph_node"], names["graph_edge"])


def delete(connection: duckdb.DuckDBPyConnection, run_id: int, link_set: str | None = None) -> None:
    """Removes the linked graphs of a run, of one set or of all."""
    rows = connection.execute(
        "SELECT g.id FROM graph AS g JOIN trace AS t ON t.id = g.trace_id "
        "WHERE t.run_id = $run AND g.link_set = coalesce($set, g.link_set)",
        {"run": run_id, "set": link_set},
    ).fetchall()
    for (graph_id,) in rows:
        connection.execute("DELETE FROM graph_edge WHERE graph_id = ?", [graph_id])
        connection.execute("DELETE FROM graph_node WHERE graph_id = ?", [graph_id])
        connection.execute("DELETE FROM graph WHERE id = ?", [graph_id])


def link_pair(
    connection: duckdb.DuckDBPyConnection,
    library: Library,
    pair: Pair,
    link_set: str,
    into: Tables | None = None,
) -> dict[str, int]:
    """Creates the linked graph of a pair; returns the rows found per query, by pinned name."""
    into = into or Tables()
    rules = link_sets.link_set(link_set)
    nodes, edges = library.newest[rules.nodes], library.newest[rules.edges]
    graph_id = _next_id(connection, "graph", pair.trace_id)
    connection.execute(
        f"INSERT INTO {into.graph} BY NAME SELECT $id AS id, trace_id, 'linked' AS kind, name, "
        "format_version, start_ts, $set AS link_set, id AS of_graph_id, $device AS device_trace_id "
        "FROM graph WHERE id = $of",
        {
            "id": graph_id, "set": link_set, "device": pair.device_trace_id, "of": pair.graph_id,
        },
    )  # fmt: skip
    first_id = _next_id(connection, "graph_node", pair.trace_id)
    n_nodes = _insert_nodes(connection, nodes, pair, into, graph_id, first_id)
    if rules.refusals:
        _refuse(connection, library.newest[rules.refusals], graph_id, link_set)
    n_edges = _insert_edges(connection, edges, pair, into, graph_id, first_id)
    return {nodes.key or "": n_nodes, edges.key or "": n_edges}


def _next_id(connection: duckdb.DuckDBPyConnection, table: str, trace_id: int) -> int:
    (next_id,) = database.one(
        connection,
        f"SELECT coalesce(max(id) + 1, ?) FROM {table} WHERE trace_id = ?",
        [trace_id << 32, trace_id],
    )
    return int(next_id)


def _insert_nodes(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    pair: Pair,
    into: Tables,
    graph_id: int,
    first_id: int,
) -> int:
    n_nodes = _find(
        connection, query, {"graph_id": pair.graph_id, "device_trace_id": pair.device_trace_id}
    )
    if n_nodes:
        connection.execute(
            f"INSERT INTO {into.node} BY NAME SELECT $first + f.node_id AS id, "
            "$trace AS trace_id, $graph AS graph_id, f.*, h.type, h.op_schema, "
            "h.record_function_id, h.sequence_number, h.thread_id "
            f"FROM {_FOUND} AS f LEFT JOIN graph_node AS h ON h.id = f.of_node_id "
            "AND h.graph_id = $of ORDER BY f.node_id",
            {
                "first": first_id, "trace": pair.trace_id, "graph": graph_id,
                "of": pair.graph_id,
            },
        )  # fmt: skip
    return n_nodes


def _insert_edges(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    pair: Pair,
    into: Tables,
    graph_id: int,
    first_node_id: int,
) -> int:
    n_edges = _find(connection, query, {"graph_id": graph_id})
    if n_edges:
        connection.execute(
            f"INSERT INTO {into.edge} BY NAME SELECT $first + row_number() OVER () - 1 AS id, "
            "$trace AS trace_id, $graph AS graph_id, $node + from_node_id AS from_node_id, "
            "$node + to_node_id AS to_node_id, kind, row_number() OVER "
            "(PARTITION BY to_node_id ORDER BY kind, from_node_id) - 1 AS ordinal "
            f"FROM {_FOUND} ORDER BY to_node_id, kind, from_node_id",
            {
                "first": _next_id(connection, "graph_edge", pair.trace_id),
                "trace": pair.trace_id, "graph": graph_id, "node": first_node_id,
            },
        )  # fmt: skip
    return n_edges


def _find(connection: duckdb.DuckDBPyConnection, query: Query, arguments: dict[str, int]) -> int:
    """Stores the rows of a query in a TEMP table; returns their number.

    They are inserted from there, because rows inserted after an INSERT of 0 rows are not visible in
    the same transaction (DuckDB 2.0).
    """
    with blaming(query):
        (n_rows,) = database.one(
            connection, f"CREATE OR REPLACE TEMP TABLE {_FOUND} AS {query.bound_sql}", arguments
        )
    return int(n_rows)


def _refuse(
    connection: duckdb.DuckDBPyConnection, query: Query, graph_id: int, link_set: str
) -> None:
    """Raises TwError with the first reason why the rules of a set cannot link the traces."""
    rows = connection.execute(query.bound_sql, {"graph_id": graph_id}).fetchall()
    for _, node_id, name, reason in rows:
        what = repr(name) if node_id is None else f"node {node_id} ({name!r})"
        raise TwError(
            f"link set {link_set} cannot link {what}: {reason}",
            hint=f"Use the link set {DEFAULT}.",
        )


@contextmanager
def blaming(query: Query) -> Iterator[None]:
    """Adds the name of the query to an error of DuckDB, except for lack of disk space or memory."""
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise query.trouble(error) from None
