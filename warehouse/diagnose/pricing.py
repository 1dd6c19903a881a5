"""Prices findings: what a replay of the run without them says that it would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.diagnose import step_time
from warehouse.diagnose.prices import Prices
from warehouse.errors import QueryError, UsageError
from warehouse.query.terminal.units import percent
from warehouse.replay import prediction, what_if
from warehouse.store import database

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.diagnose.findings import Finding
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

MOST = 24  # changes that are replayed, those of the largest estimates
MOST_ERROR = 0.2  # of a replay without changes; beyond it, replays price nothing


def price(
    session: Session, engine: Engine, findings: Sequence[Finding], step: int | None = None
) -> Prices:
    """Replays the run with the change of each finding; of one step, if given (`step_time`).

    Of more than `MOST` changes, those with the largest estimates are replayed. One that changes
    nothing has no price: what the finding is about is not in the replay. Raises QueryError if no
    rank has that step.
    """
    try:
        graph = prediction.replayed(session, engine)
        unchanged = prediction.scenario(graph, engine, ())
    except QueryError as error:
        return Prices({}, None, None, str(error), step is not None)
    graph.connection.execute(_RELATED)
    _bound(session, graph)
    if step is not None:
        step_time.add_work(session, graph)
    are_of_step = step is not None or database.one(graph.connection, _IS_MEAN)[0]
    if session.seen.has_window and not are_of_step and not _has_extent(graph):
        return Prices({}, None, None, "it gives no time for the time window")
    before = _time_of(graph, unchanged, step)
    off = before.replayed_ns / before.measured_ns - 1 if before.measured_ns else 0.0
    if abs(off) > MOST_ERROR:
        problem = f"without changes it is off by {percent(off)}"
        return Prices({}, None, before.measured_ns, problem, are_of_step)
    saved: dict[str, float] = {}
    by_estimate = sorted(findings, key=lambda each: -(each.estimate_ns or 0))
    for text in dict.fromkeys(each.what_if for each in by_estimate if each.what_if):
        if len(saved) == MOST:
            break
        try:
            rows = prediction.scenario(graph, engine, [what_if.parse(text)])
        except UsageError:  # it changes nothing
            continue
        saved[text] = max(before.replayed_ns - _time_of(graph, rows, step).replayed_ns, 0.0)
    return Prices(saved, before.replayed_ns, before.measured_ns, None, are_of_step)


@dataclass(frozen=True)
class _Time:
    replayed_ns: float
    measured_ns: float | None


#: Threads that neither launch, wait nor hand over say nothing about the run: they last as recorded.
_RELATED = """
CREATE TABLE related_track AS
WITH related AS (
  SELECT unnest([from_id, to_id]) AS node_id
  FROM edge
  WHERE kind NOT IN ('thread_order', 'stream_order', 'end')
)
SELECT DISTINCT track_id FROM node SEMI JOIN related USING (node_id) WHERE track_id IS NOT NULL
"""
#: Nodes without measured times are means over steps.
_IS_MEAN = "SELECT count(measured_start_ns) = 0 FROM node"
#: The time window on the time that the traces share; without one, all of it.
_WINDOW = """
CREATE TABLE bound AS
SELECT
  trace_id,
  coalesce($from_ns + shift_ns + drift * $from_ns, '-infinity'::DOUBLE) AS from_ns,
  coalesce($to_ns + shift_ns + drift * $to_ns, 'infinity'::DOUBLE) AS to_ns
FROM shared_time
"""
_NO_WINDOW = """
CREATE TABLE bound AS
SELECT DISTINCT trace_id, '-infinity'::DOUBLE AS from_ns, 'infinity'::DOUBLE AS to_ns FROM node
"""
#: The slowest rank, from the first start to the last end on its related tracks. In a time window
#: from the last end before it: of nodes that its ends cut, the same share as measured counts.
_EXTENT = """
WITH timed AS (
  SELECT
    n.trace_id, n.measured_start_ns, n.measured_end_ns, t.start_ns, t.end_ns, b.from_ns, b.to_ns,
    (t.end_ns - t.start_ns) / nullif(n.measured_end_ns - n.measured_start_ns, 0) AS pace
  FROM node AS n
  JOIN time AS t USING (node_id)
  JOIN bound AS b ON b.trace_id = n.trace_id
  SEMI JOIN related_track USING (track_id)
),
cut AS (
  SELECT
    trace_id, start_ns, measured_start_ns,
    CASE
      WHEN measured_end_ns > to_ns THEN start_ns + pace * (to_ns - measured_start_ns)
      ELSE end_ns
    END AS until_ns,
    CASE
      WHEN measured_end_ns > from_ns THEN start_ns + pace * (from_ns - measured_start_ns)
      ELSE end_ns
    END AS before_ns,
    least(measured_end_ns, to_ns) AS measured_until_ns,
    least(measured_end_ns, from_ns) AS measured_before_ns,
    (measured_start_ns < to_ns) IS NOT FALSE AS is_until,
    coalesce(measured_start_ns < from_ns, false) AS is_before
  FROM timed
),
by_trace AS (
  SELECT
    max(until_ns) FILTER (WHERE is_until)
      - coalesce(max(before_ns) FILTER (WHERE is_before), min(start_ns)) AS replayed_ns,
    max(measured_until_ns) FILTER (WHERE is_until)
      - coalesce(max(measured_before_ns) FILTER (WHERE is_before), min(measured_start_ns))
      AS measured_ns
  FROM cut
  GROUP BY trace_id
)
SELECT max(replayed_ns), max_by(measured_ns, replayed_ns) FROM by_trace
"""


def _bound(session: Session, graph: Graph) -> None:
    """Keeps the time window of the scope beside the graph."""
    window = {"from_ns": session.seen.from_ns, "to_ns": session.seen.to_ns}
    if not session.seen.has_window:
        graph.connection.execute(_NO_WINDOW)
        return
    graph.connection.register("shared_time", session.run("replay_trace").table())
    graph.connection.execute(_WINDOW, window)


def _has_extent(graph: Graph) -> bool:
    return bool(database.one(graph.connection, _EXTENT)[0])


def _time_of(graph: Graph, rows: pa.Table, step: int | None) -> _Time:
    """The time of the slowest rank in the last simulation, of which `rows` are the predictions."""
    if step is None:
        replayed, measured = database.one(graph.connection, _EXTENT)
        if replayed is not None:
            return _Time(replayed, measured)
    elif found := step_time.of_slowest(graph, step):
        return _Time(*found)
    mine = [row for row in rows.to_pylist() if row["step"] == step]
    if not mine:
        raise QueryError(f"no rank has a step {step}", hint="`tw query step_summary` lists them.")
    slowest: dict[str, Any] = max(mine, key=lambda row: row["predicted_ns"] or 0)
    return _Time(slowest["predicted_ns"], slowest["measured_ns"])
