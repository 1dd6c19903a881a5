"""The time that a step adds to a replay, until its work is done on the host and on devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.store import database

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.graph import Graph

#: Device work with its step.
_WORK = """
SELECT g.slice_id, g.trace_id, s.number AS step
FROM whole_gpu_op AS g
LEFT JOIN whole_link AS k
  ON k.to_id = g.slice_id AND k.kind = 'step' AND k.link_set = 'default'
LEFT JOIN whole_step AS s ON s.slice_id = k.from_id
WHERE g.kind <> 'sync'
"""
#: From the start of the step, or the end of all earlier work if that is later, to the end of its
#: last work, or of the step on the host if that is later, as in compare_makespan. Work of no known
#: step is earlier if it began before the first work of the step: streams run in order.
_EXTENT = """
WITH host AS (
  SELECT
    m.trace_id,
    m.step,
    a.measured_end_ns AS measured_start_ns,
    b.measured_end_ns,
    x.end_ns AS start_ns,
    y.end_ns
  FROM measured AS m
  JOIN node AS a ON a.node_id = m.first_id
  JOIN node AS b ON b.node_id = m.last_id
  JOIN time AS x ON x.node_id = m.first_id
  JOIN time AS y ON y.node_id = m.last_id
  WHERE m.step IS NOT NULL
),
work AS (
  SELECT
    w.trace_id,
    w.step,
    h.measured_start_ns AS step_start_ns,
    min(n.measured_start_ns) AS measured_start_ns,
    max(n.measured_end_ns) AS measured_end_ns,
    max(t.end_ns) AS end_ns
  FROM node AS n
  JOIN time AS t USING (node_id)
  JOIN step_work AS w ON w.slice_id = n.slice_id
  LEFT JOIN host AS h ON h.trace_id = w.trace_id AND h.step = w.step
  GROUP BY w.slice_id, w.trace_id, w.step, h.measured_start_ns
),
first AS (
  SELECT trace_id, min(measured_start_ns) AS start_ns
  FROM work
  WHERE step = $step::BIGINT
  GROUP BY trace_id
),
ended AS (
  SELECT
    trace_id,
    step = $step::BIGINT AS is_own,
    measured_start_ns AS began_ns,
    measured_end_ns,
    end_ns
  FROM host
  UNION ALL
  SELECT trace_id, coalesce(step = $step::BIGINT, false), step_start_ns, measured_end_ns, end_ns
  FROM work
  WHERE step_start_ns IS NOT NULL OR coalesce(step = $step::BIGINT, false)
  UNION ALL
  SELECT
    w.trace_id, false,
    CASE WHEN w.measured_start_ns < f.start_ns THEN '-infinity'::DOUBLE ELSE 'infinity'::DOUBLE END,
    w.measured_end_ns, w.end_ns
  FROM work AS w
  JOIN first AS f ON f.trace_id = w.trace_id
  WHERE w.step_start_ns IS NULL AND w.step IS DISTINCT FROM $step::BIGINT
),
by_trace AS (
  SELECT
    max(e.end_ns) FILTER (WHERE e.is_own) - greatest(
      any_value(h.start_ns),
      max(e.end_ns) FILTER (WHERE NOT e.is_own AND e.began_ns < h.measured_start_ns)
    ) AS replayed_ns,
    max(e.measured_end_ns) FILTER (WHERE e.is_own) - greatest(
      any_value(h.measured_start_ns),
      max(e.measured_end_ns) FILTER (WHERE NOT e.is_own AND e.began_ns < h.measured_start_ns)
    ) AS measured_ns
  FROM host AS h
  JOIN ended AS e ON e.trace_id = h.trace_id
  WHERE h.step = $step::BIGINT
  GROUP BY h.trace_id
)
SELECT
  max(greatest(replayed_ns, 0)), max_by(greatest(measured_ns, 0), (replayed_ns, measured_ns))
FROM by_trace
"""


def add_work(session: Session, graph: Graph) -> None:
    """Keeps the steps of device work beside the graph."""
    with session.run(_WORK) as result:
        graph.replace("step_work", result.reader())


def of_slowest(graph: Graph, step: int) -> tuple[float, float] | None:
    """The replayed and measured time that the step adds on the slowest rank; None: unknown there.

    Replayed is the last simulation of the graph.
    """
    replayed, measured = database.one(graph.connection, _EXTENT, {"step": step})
    return None if replayed is None or measured is None else (replayed, measured)
