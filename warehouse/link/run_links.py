"""Links across the traces of a run, and the offsets of their clocks.

A run whose traces change is linked again, except for links that new traces cannot change: of many
ranks, most are linked to one that was there before. Rows that several linkers read are computed
once. All functions run in the transaction of their caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warehouse.link import clock_offsets, link_sets, linked_graph, linkers
from warehouse.link.linkers import BETWEEN, Linkers
from warehouse.store import database, statements

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query

#: Blocks that several linkers read: the operations, and pairs of ranks with theirs.
_OPERATIONS, _PAIRS = "collective_op", "collective_sequence"
#: The block of traces whose rows of `_PAIRS` as the other rank change by new traces.
_CHANGED = "changed_sequence"
_TRACES = 'temp.main."traces changed"'
_KEPT = 'temp.main."links kept"'


def link_run(
    connection: duckdb.DuckDBPyConnection,
    known: Linkers,
    run_id: int,
    *,
    keeps_links: bool = False,
) -> None:
    """Links the traces of a run with each other, and stores the offsets of their clocks.

    Replaces what is stored; with `keeps_links`, for a run that lost no traces, by the same rows as
    without, but links that new traces cannot change are not searched again. A run of one trace has
    none. Stored link sets of execution traces are rebuilt too.
    """
    sets = {link_sets.DEFAULT, *linked_graph.sets_of(connection, run_id)}
    first_new_id = _first_new_id(connection, known, run_id) if keeps_links else 0
    traces = [
        int(trace_id)
        for (trace_id,) in connection.execute(
            "SELECT id FROM trace WHERE run_id = ? ORDER BY id", [run_id]
        ).fetchall()
    ]
    if len(traces) <= 1:
        unlink_run(connection, run_id)
        return
    _link_between(connection, known, run_id, traces[-1], first_new_id)
    for link_set in sorted(sets):
        link_graphs(connection, known, run_id, link_set)
    linkers.disable(connection)


def unlink_run(connection: duckdb.DuckDBPyConnection, run_id: int) -> None:
    """Removes the rows of `link_run` for a run that loses traces.

    The record that its linkers ran is removed too, so that `unlinked_runs` returns the run, and
    `link_run` keeps nothing. A run that only gains traces needs no such call.
    """
    connection.execute(
        "DELETE FROM link WHERE trace_id IS NULL AND run_id = ? AND link_set = 'default'", [run_id]
    )
    clock_offsets.delete(connection, run_id)
    linked_graph.delete(connection, run_id)
    connection.execute(
        "DELETE FROM import_stat WHERE name = ? "
        "AND trace_id IN (SELECT id FROM trace WHERE run_id = ?)",
        [BETWEEN, run_id],
    )


def link_graphs(
    connection: duckdb.DuckDBPyConnection, known: Linkers, run_id: int, link_set: str
) -> None:
    """Rebuilds one link set of a run's execution traces with its timelines."""
    (last,) = database.one(connection, "SELECT max(id) FROM trace WHERE run_id = ?", [run_id])
    found = linked_graph.link_run(connection, known.library, run_id, link_set)
    if link_set == link_sets.DEFAULT:
        counts = [(query, found.get(query.key or "", 0)) for query in known.of_graphs]
        linkers.note(connection, counts, BETWEEN, int(last))


def unlinked_runs(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str]]:
    """Returns id and name of runs of several traces that changed since they were linked."""
    rows = connection.execute(
        "SELECT r.id, r.name FROM run AS r JOIN trace AS t ON t.run_id = r.id "
        "GROUP BY r.id, r.name HAVING count(*) > 1 AND max(t.id) NOT IN ("
        "SELECT trace_id FROM import_stat WHERE name = ?) ORDER BY r.id",
        [BETWEEN],
    ).fetchall()
    return [(int(run_id), str(name)) for run_id, name in rows]


def _first_new_id(connection: duckdb.DuckDBPyConnection, known: Linkers, run_id: int) -> int:
    """Returns the id from which on traces are not linked yet; 0 if nothing stored may be kept.

    Links are kept only if the same versions of all linkers made them.
    """
    rows = connection.execute(
        "SELECT s.trace_id, s.detail FROM import_stat AS s JOIN trace AS t ON t.id = s.trace_id "
        "WHERE t.run_id = ? AND s.name = ?",
        [run_id, BETWEEN],
    ).fetchall()
    newest = max((trace_id for trace_id, _ in rows), default=-1)
    ran = {detail for trace_id, detail in rows if trace_id == newest}
    return int(newest) + 1 if ran >= {linkers.noted(query) for query in known.of_run} else 0


def _link_between(
    connection: duckdb.DuckDBPyConnection,
    known: Linkers,
    run_id: int,
    last_trace_id: int,
    first_new_id: int,
) -> None:
    traces = f"trace_id IN (SELECT id FROM trace WHERE run_id = {run_id})"
    required = linkers.Required(connection, known.of_run, traces)
    can_link = [query for query in known.of_run if required.exist(query)]
    clocks = [known.clocks] if known.clocks else []
    linkers.install(connection, known.library, [*can_link, *clocks])
    found: list[tuple[Query, int]] = []
    with _shared_rows(connection, known.library, can_link, run_id, first_new_id):
        unlink_run(connection, run_id)
        # The next id is one below the smallest: -(run_id << 32 | n) - 1.
        (first,) = database.one(
            connection,
            "SELECT coalesce(min(id), ?) - 1 FROM link WHERE trace_id IS NULL AND run_id = ?",
            [-(run_id << 32), run_id],
        )
        for query in known.of_run:
            n_links = 0
            if query in can_link:
                kept = _KEPT if _reads(known.library, query, _PAIRS) else None
                n_links = linkers.insert(
                    connection, query, {"run_id": run_id}, f"{first} - n", "NULL", run_id, kept
                )
            first -= n_links
            found.append((query, n_links))
        if known.clocks is not None:
            found.append((known.clocks, clock_offsets.store(connection, known.clocks, run_id)))
    linkers.note(connection, found, BETWEEN, last_trace_id)


def _reads(library: Library, query: Query, block: str) -> bool:
    return library.newest.get(block) in library.closure([query])


@contextmanager
def _shared_rows(
    connection: duckdb.DuckDBPyConnection,
    library: Library,
    queries: Sequence[Query],
    run_id: int,
    first_new_id: int,
) -> Iterator[None]:
    """Computes what several linkers of a run read, once; macros read it from TEMP tables.

    Pairs of ranks that traces from `first_new_id` on cannot change are left out; their links are
    copied to a TEMP table.
    """
    called = library.closure(queries)
    shared = [
        library.newest[name]
        for name in (_OPERATIONS, _PAIRS)
        if name in library.newest and library.newest[name] in called
    ]
    for block in shared:
        only = f"run_id = {run_id}"
        if block.header and block.header.name == _PAIRS:
            only = _keep_links(connection, library, queries, run_id, first_new_id)
        with linked_graph.blaming(block):
            argument = {"run_id": run_id} if block.parameters else {}
            statements.execute(
                connection,
                f"CREATE OR REPLACE TEMP TABLE {_rows_of(block)} AS "
                f"FROM ({block.bound_sql}) WHERE {only}",
                argument,
            )
        connection.execute(f"{block.macro_head(temp=True)} FROM {_rows_of(block)}")
    yield
    # After an error the transaction is rolled back, and these with it.
    for block in shared:
        block.install(connection)
        connection.execute(f"DROP TABLE {_rows_of(block)}")
    for table in (_KEPT, _TRACES):
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def _rows_of(block: Query) -> str:
    return f'temp.main."rows of {block.key}"'


def _keep_links(
    connection: duckdb.DuckDBPyConnection,
    library: Library,
    queries: Sequence[Query],
    run_id: int,
    first_new_id: int,
) -> str:
    """Copies the links that new traces cannot change; returns a condition on the other pairs."""
    changed = library.newest[_CHANGED]
    with linked_graph.blaming(changed):
        statements.execute(
            connection,
            f"CREATE OR REPLACE TEMP TABLE {_TRACES} AS {changed.bound_sql}",
            {"run_id": run_id, "first_new_id": first_new_id},
        )
    names = [q.header.name for q in queries if q.header and _reads(library, q, _PAIRS)]
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_KEPT} AS "
        "SELECT from_id, to_id, kind, rule, confidence FROM link "
        "WHERE trace_id IS NULL AND run_id = ? AND query IN (SELECT unnest(?)) "
        f"AND (to_id >> 32) NOT IN (FROM {_TRACES}) ORDER BY to_id",
        [run_id, names],
    )
    return f"spoke_trace_id IN (FROM {_TRACES})"
