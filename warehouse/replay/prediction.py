"""Predicts the time of a run's steps: as measured, as replayed, and as replayed with changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from warehouse.errors import QueryError
from warehouse.library.header import Column
from warehouse.query.result import QueryResult
from warehouse.replay import movement, stored, what_if
from warehouse.replay.engines import Engine
from warehouse.replay.graph import MEASURED, OCCURRENCES, TABLES, Graph
from warehouse.replay.stored import Prediction

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.query.session import Session

COLUMNS = (
    Column("what_if", "VARCHAR", "text", "The changes; NULL: none", nullable=True),
    Column("step", "BIGINT", "count", "Step; NULL: whole trace, or mean of steps", nullable=True),
    Column("rank", "BIGINT", "count", "Rank of the trace, if known", nullable=True),
    Column("measured_ns", "DOUBLE", "ns", "Measured time, if recorded", nullable=True),
    Column("replayed_ns", "DOUBLE", "ns", "Time of the replay without changes"),
    Column("predicted_ns", "DOUBLE", "ns", "Time of the replay with the changes", nullable=True),
    Column("change", "DOUBLE", "ratio", "predicted_ns / replayed_ns - 1", nullable=True),
    Column("replay_error", "DOUBLE", "ratio", "replayed_ns / measured_ns - 1", nullable=True),
    Column("is_extrapolated", "BOOLEAN", "bool", "Whether a change extrapolates the recording"),
    Column("missing", "VARCHAR", "text", "What the recording lacks; NULL: nothing", nullable=True),
)  # fmt: skip
#: Times of the measured rows: between the ends of two nodes, or from the first start in the trace
#: to the last end; without a last node, to the end of the operator that begins last.
_STEP_TIMES = """
CREATE OR REPLACE TABLE {name} AS
WITH whole AS (
  SELECT
    n.trace_id,
    min(t.start_ns) AS start_ns,
    min(t.start_ns) FILTER (WHERE n.kind = 'operator') AS operator_ns,
    arg_max(t.end_ns, (t.start_ns, n.node_id)) FILTER (WHERE n.kind = 'operator') AS end_ns,
    max(t.end_ns) AS last_ns
  FROM node AS n
  JOIN time AS t USING (node_id)
  WHERE n.kind NOT IN ('barrier', 'bucket')  -- of all ranks
  GROUP BY n.trace_id
)
SELECT
  m.trace_id,
  m.step,
  CASE
    WHEN m.last_id IS NULL THEN w.end_ns - w.operator_ns
    WHEN m.first_id IS NULL THEN w.last_ns - w.start_ns
    ELSE b.end_ns - a.end_ns
  END AS dur_ns
FROM measured AS m
JOIN whole AS w ON w.trace_id = m.trace_id
LEFT JOIN time AS a ON a.node_id = m.first_id
LEFT JOIN time AS b ON b.node_id = m.last_id
"""
_ROWS = """
SELECT
  $what_if::VARCHAR AS what_if,
  m.step,
  m.rank,
  m.measured_ns,
  r.dur_ns AS replayed_ns,
  p.dur_ns AS predicted_ns,
  p.dur_ns / nullif(r.dur_ns, 0) - 1 AS change,
  r.dur_ns / nullif(m.measured_ns, 0) - 1 AS replay_error,
  $is_extrapolated::BOOLEAN AS is_extrapolated,
  $missing::VARCHAR AS missing
FROM measured AS m
JOIN replayed AS r ON r.trace_id = m.trace_id AND r.step IS NOT DISTINCT FROM m.step
JOIN predicted AS p ON p.trace_id = m.trace_id AND p.step IS NOT DISTINCT FROM m.step
ORDER BY m.rank, m.trace_id, m.step
"""


def predict(
    session: Session, engine: Engine, scenarios: Sequence[Sequence[what_if.WhatIf]] = ((),)
) -> QueryResult:
    """Replays the run in scope without changes, and with those of each scenario.

    Returns one row for each scenario, rank and step (`COLUMNS`). Raises QueryError if the run has
    no graph, or nodes of it wait for each other; UsageError for an unknown or invalid change.
    """
    graph = replayed(session, engine)
    tables = [scenario(graph, engine, changes) for changes in scenarios]
    return _result(session, graph, tables)


def predict_run(
    session: Session, engine: Engine, changes: Sequence[what_if.WhatIf], engine_name: str
) -> tuple[QueryResult, Prediction]:
    """As `predict` with one scenario, and what `stored.store` stores as a run.

    Raises QueryError, too, if no node stands for a part of a timeline.
    """
    graph = replayed(session, engine, places=True)
    if not graph.connection.execute("SELECT 1 FROM occurrence LIMIT 1").fetchall():
        raise QueryError(
            "the replayed graph has no timeline that can be stored",
            hint="Import the timeline of the run too, or omit --as.",
        )
    measured_path = movement.path_of(graph)
    rows = scenario(graph, engine, changes)
    trace_ids, imported_at = stored.traces_of(session)
    queries = [session.queries.find(name) for name in (*TABLES.values(), MEASURED, OCCURRENCES)]
    queries += [query for each in changes for query in what_if.queries_of(graph, each)]
    made = Prediction(
        parent_run_id=session.seen.run_ids[0],
        trace_ids=trace_ids,
        imported_at=imported_at,
        occurrences=movement.placed(graph),
        paths=(measured_path, movement.path_of(graph) if changes else measured_path),
        engine=engine_name,
        parameters=engine.parameters,
        what_ifs=[str(each) for each in changes],
        queries={str(query.key): query.digest for query in queries},
        window_ns=(session.seen.from_ns, session.seen.to_ns),
        times_ns=_slowest(graph),
    )
    return _result(session, graph, [rows]), made


def _slowest(graph: Graph) -> tuple[float | None, float | None, float | None]:
    """The mean over steps of the measured, replayed and predicted time of the slowest rank."""
    ((measured, replayed, predicted),) = graph.connection.execute(
        "SELECT max(m), max(r), max(p) FROM ("
        "SELECT avg(measured_ns) AS m, avg(replayed_ns) AS r, avg(predicted_ns) AS p "
        f"FROM ({_ROWS}) WHERE step IS NULL GROUP BY rank)",
        {"what_if": None, "is_extrapolated": False, "missing": None},
    ).fetchall()
    return measured, replayed, predicted


def _result(session: Session, graph: Graph, tables: Sequence[pa.Table]) -> QueryResult:
    import pyarrow as pa

    about = session.manifest(session.queries.find(TABLES["node"]), {})
    if graph.critical_path_ns is not None:
        about["critical_path_ns"] = str(graph.critical_path_ns)
    if graph.warnings:
        about["warnings"] = "\n".join(f"{problem}. {remedy}" for problem, remedy in graph.warnings)
    return QueryResult(pa.concat_tables(tables), COLUMNS, about)


def replayed(
    session: Session,
    engine: Engine,
    *,
    places: bool = False,
    before: Sequence[what_if.WhatIf] = (),
) -> Graph:
    """Returns the graph of the run in scope, simulated without changes, for `scenario`.

    Changes `before` belong to it, as if they were recorded. Raises QueryError, and UsageError for
    an invalid one.
    """
    graph = Graph(session, engine.parameters, places=places)
    for change in before:
        what_if.apply(graph, change)
    _simulate(graph, engine, "replayed")
    return graph


def scenario(graph: Graph, engine: Engine, changes: Sequence[what_if.WhatIf]) -> pa.Table:
    """Changes and simulates a graph that `replayed` returned; returns its rows of `COLUMNS`.

    Raises QueryError and UsageError.
    """
    if changes:
        graph.restore_original()
        for change in changes:
            what_if.apply(graph, change)
        _simulate(graph, engine, "predicted")
    else:  # as replayed
        graph.connection.execute("CREATE OR REPLACE TABLE predicted AS FROM replayed")
    text = " + ".join(map(str, changes)) or None
    queries = [query for change in changes for query in what_if.queries_of(graph, change)]
    known = {
        "what_if": text,
        "is_extrapolated": any(query.header and query.header.extrapolates for query in queries),
        "missing": "; ".join(problem for problem, _ in graph.warnings) or None,
    }
    return graph.connection.sql(_ROWS, params=known).to_arrow_table()


def _simulate(graph: Graph, engine: Engine, name: str) -> None:
    work = graph.work()
    times = engine.simulate(work)
    graph.store(times)
    if engine.critical_path_ns is not None:
        graph.critical_path_ns = engine.critical_path_ns(work, times, graph.names())
    graph.connection.execute(_STEP_TIMES.format(name=name))
