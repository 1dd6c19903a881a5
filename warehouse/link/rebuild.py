"""Finds the links that an older program made, and makes those of whole runs anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.ingest.decode import Settings, scratch_connection
from warehouse.ingest.pipeline import scratch_folder
from warehouse.library.library import Library
from warehouse.link import linkers
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Relinked:
    """How many links of a kind a run had, and has now."""

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
    settings: Settings | None = None,
    wait_s: float = database.DEFAULT_WAIT_S,
) -> Iterator[list[Relinked]]:
    """Makes all links of the default set anew, each run in a transaction of its own.

    With `graph_set` only those of execution traces with timelines, of that set.
    Yields the counts of each run when it is done; one that was dropped meanwhile has none. The
    warehouse is held for one run at a time.
    """
    known = linkers.linkers()
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
) -> list[Relinked]:
    before = _counts(connection, run_id)
    traces = connection.execute("SELECT id FROM trace WHERE run_id = ? ORDER BY id", [run_id])
    trace_ids = [int(trace_id) for (trace_id,) in traces.fetchall()]
    if graph_set is None:
        for trace_id in trace_ids:
            linkers.link_trace(connection, known, trace_id, run_id)
        linkers.link_run(connection, known, run_id)
    elif trace_ids:
        linkers.link_graphs(connection, known, run_id, graph_set)
    after = _counts(connection, run_id)
    names = connection.execute("SELECT name FROM run WHERE id = ?", [run_id]).fetchall()
    return [
        Relinked(run_id, str(name), kind, before.get(kind, 0), after.get(kind, 0))
        for (name,) in names
        for kind in sorted({*before, *after})
    ]


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


@dataclass(frozen=True)
class Stale:
    """Links a newer program would make otherwise: of a trace, or between those of a run."""

    run_id: int
    trace_id: int | None  # None: between the traces of the run
    query: str  # name of the linker
    version: int | None  # of the links that are there; None: it never ran
    newest_version: int | None  # None: the library has no such linker


def stale(connection: duckdb.DuckDBPyConnection, library: Library | None = None) -> list[Stale]:
    """What `tw link` would make anew, of the traces the connection sees; in order of runs."""
    known = linkers.linkers(library)
    queries = [(linkers.INSIDE, query) for query in known.of_trace]
    queries += [(linkers.BETWEEN, query) for query in known.all if query not in known.of_trace]
    rows = connection.execute(
        _STALE,
        {
            "whats": [what for what, _ in queries],
            "names": [query.header.name for _, query in queries if query.header],
            "versions": [query.header.version for _, query in queries if query.header],
            "hashes": [known.library.content_hash(query) for _, query in queries],
        },
    ).fetchall()
    return [Stale(*row) for row in rows]


#: A linker is current where its newest version ran, and means what that version meant then: by the
#: hash noted with it, or, where an older program noted none, by those ever seen of that version.
_STALE = f"""
WITH newest AS (
  SELECT
    what,
    name,
    version,
    substr(hash, 1, 16) AS hash,
    EXISTS (SELECT 1 FROM query_version AS q WHERE q.name = k.name AND q.version = k.version)
      AND NOT EXISTS (
        SELECT 1 FROM query_version AS q
        WHERE q.name = k.name AND q.version = k.version AND q.content_hash = k.hash
      ) AS was_never_this
  FROM (
    SELECT unnest($whats::VARCHAR[]) AS what, unnest($names::VARCHAR[]) AS name,
      unnest($versions::BIGINT[]) AS version, unnest($hashes::VARCHAR[]) AS hash
  ) AS k
),
place AS (
  SELECT '{linkers.INSIDE}' AS what, id AS trace_id FROM trace
  UNION ALL
  SELECT '{linkers.BETWEEN}', max(id) FROM trace GROUP BY run_id HAVING count(*) > 1
),
ran AS (
  SELECT
    trace_id,
    name AS what,
    split_part(detail, '@', 1) AS name,
    split_part(split_part(detail, '@', 2), ' ', 1)::BIGINT AS version,
    nullif(split_part(detail, ' ', 2), '') AS hash
  FROM import_stat
  WHERE name IN ('{linkers.INSIDE}', '{linkers.BETWEEN}')
),
compared AS (
  SELECT
    trace_id,
    what,
    name,
    r.version AS ran,
    n.version AS newest,
    coalesce(r.hash <> n.hash, n.was_never_this) AS is_changed
  FROM (SELECT * FROM place JOIN newest USING (what)) AS n
  FULL JOIN ran AS r USING (trace_id, what, name)
)
SELECT t.run_id, CASE what WHEN '{linkers.INSIDE}' THEN t.id END AS trace_id, c.name, ran, newest
FROM compared AS c
JOIN trace AS t ON t.id = c.trace_id
WHERE ran IS DISTINCT FROM newest OR is_changed
ORDER BY t.run_id, trace_id NULLS LAST, c.name
"""
