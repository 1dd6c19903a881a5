"""Prices findings: what a replay of the run without them says that it would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    """Replays the run with the change of each finding; of one step, if given.

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
    before = _time_of(graph, unchanged, step)
    are_of_step = step is not None or database.one(graph.connection, _IS_MEAN)[0]
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
#: Nodes without measured times, as of dPRO trials, are means over steps.
_IS_MEAN = "SELECT count(measured_start_ns) = 0 FROM node"
#: The slowest rank, from the first start to the last end on its related tracks.
_EXTENT = """
SELECT
  max(end_ns - start_ns) AS replayed_ns,
  max_by(measured_end_ns - measured_start_ns, end_ns - start_ns) AS measured_ns
FROM (
  SELECT
    min(t.start_ns) AS start_ns,
    max(t.end_ns) AS end_ns,
    min(n.measured_start_ns) AS measured_start_ns,
    max(n.measured_end_ns) AS measured_end_ns
  FROM node AS n
  JOIN time AS t USING (node_id)
  SEMI JOIN related_track USING (track_id)
  GROUP BY n.trace_id
)
"""


def _time_of(graph: Graph, rows: pa.Table, step: int | None) -> _Time:
    """The time of the slowest rank in the last simulation, of which `rows` are the predictions."""
    if step is None:
        replayed, measured = database.one(graph.connection, _EXTENT)
        if replayed is not None:
            return _Time(replayed, measured)
    mine = [row for row in rows.to_pylist() if row["step"] == step]
    if not mine:
        raise QueryError(f"no rank has a step {step}", hint="`tw query step_summary` lists them.")
    slowest: dict[str, Any] = max(mine, key=lambda row: row["predicted_ns"] or 0)
    return _Time(slowest["predicted_ns"], slowest["measured_ns"])
