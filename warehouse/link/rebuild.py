"""Rebuilds the links of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.ingest.decode import Settings, scratch_connection
from warehouse.ingest.pipeline import scratch_folder
from warehouse.link import linkers, run_links
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

_SLICES_TOGETHER = 500_000  # most slices of traces that are linked together: bounds the memory


@dataclass(frozen=True)
class LinkCount:
    """Number of links of a kind in a run, before and after a rebuild."""

    run_id: int
    run: str
    kind: str
    n_before: int
    n_after: int


def relink(
    db: Path,
    run_ids: Sequence[int],
    *,
    graph_set: str | None = None,
    clock: str | None = None,
    settings: Settings | None = None,
    wait_s: float = database.DEFAULT_WAIT_S,
) -> Iterator[list[LinkCount]]:
    """Rebuilds all links of the default set, each run in its own transaction.

    `clock` is the method of clock offsets, by default that of `clock_offset`. With `graph_set`,
    rebuilds only that link set of execution traces with timelines. Yields the counts of each run
    when it is done; none for a run dropped meanwhile. The warehouse is locked for a run at a time.
    """
    known = linkers.linkers()
    if clock is not None:
        known = linkers.with_clocks(known, clock)
    with scratch_folder(db.absolute()) as folder:
        connection = scratch_connection(folder, settings or Settings())
        try:
            for run_id in run_ids:
                with database.attach_for_writing(connection, db, wait_s=wait_s):
                    connection.execute("BEGIN")
                    done = _relink_run(connection, known, run_id, graph_set)
                    connection.execute("COMMIT")
                yield done
        finally:
            connection.close()


def _relink_run(
    connection: duckdb.DuckDBPyConnection,
    known: linkers.Linkers,
    run_id: int,
    graph_set: str | None,
) -> list[LinkCount]:
    before = _counts(connection, run_id)
    traces = connection.execute("SELECT id FROM trace WHERE run_id = ? ORDER BY id", [run_id])
    trace_ids = [int(trace_id) for (trace_id,) in traces.fetchall()]
    if graph_set is None:
        for group in _groups(connection, trace_ids):
            if len(group) > 1:
                linkers.relink_traces(connection, known, dict.fromkeys(group, run_id))
            else:
                linkers.link_trace(connection, known, group[0], run_id)
        run_links.link_run(connection, known, run_id)
    elif trace_ids:
        run_links.link_graphs(connection, known, run_id, graph_set)
    after = _counts(connection, run_id)
    names = connection.execute("SELECT name FROM run WHERE id = ?", [run_id]).fetchall()
    return [
        LinkCount(run_id, str(name), kind, before.get(kind, 0), after.get(kind, 0))
        for (name,) in names
        for kind in sorted({*before, *after})
    ]


def _groups(connection: duckdb.DuckDBPyConnection, trace_ids: Sequence[int]) -> list[list[int]]:
    """Divides traces of a run, by id, into those linked together: small ones in a row."""
    stored = connection.execute(
        "SELECT t.id, coalesce(s.n, 0) FROM trace AS t LEFT JOIN ("
        "SELECT trace_id, count(*) AS n FROM slice GROUP BY trace_id) AS s ON s.trace_id = t.id "
        "ORDER BY t.id"
    )
    chosen = set(trace_ids)
    groups: list[list[int]] = []
    n_slices, last_id = 0, None  # of the group, and the trace before, of any run
    for trace_id, n in stored.fetchall():
        if trace_id in chosen:
            if last_id not in chosen or n_slices + n > _SLICES_TOGETHER:
                groups.append([])
                n_slices = 0
            groups[-1].append(trace_id)
            n_slices += n
        last_id = trace_id
    return groups


def _counts(connection: duckdb.DuckDBPyConnection, run_id: int) -> dict[str, int]:
    rows = connection.execute(
        "SELECT kind, count(*) FROM link "
        "WHERE run_id = $run AND link_set = 'default' GROUP BY kind UNION ALL "
        "SELECT 'graph ' || g.link_set || ': ' || what, count(*) FROM graph AS g "
        "JOIN trace AS t ON t.id = g.trace_id JOIN ("
        "SELECT graph_id, device_kind || ' nodes' AS what FROM graph_node "
        "WHERE slice_id IS NOT NULL UNION ALL "
        "SELECT graph_id, kind || ' edges' FROM graph_edge) AS p ON p.graph_id = g.id "
        "WHERE t.run_id = $run AND g.link_set IS NOT NULL GROUP BY 1",
        {"run": run_id},
    ).fetchall()
    return {str(kind): int(n) for kind, n in rows}
