/* ---
name = "whole_collective_wait"
version = 1
title = "Waits of members of collectives, inside and outside of the time window"
help = """
Only collectives whose members can be compared, that is, all clocks have offsets and no link between
them is doubtful (confidence 0.5 and below). If several members arrived last together, the lowest
rank counts as the last. Collectives of all times are returned.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["whole_collective_member@1"] }
scale = "run"
columns = [
  "instance_id", "slice_id", "trace_id", "run_id", "rank", "last_trace_id", "last_rank", "wait_ns",
  "margin_ns", "uncertainty_ns",
]

[column]
slice_id.help = "Slice on this rank"
last_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the last to arrive" }
last_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank of the last to arrive, if known" }
wait_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time from this rank's start to that of the last" }
uncertainty_ns.help = "Sum of the uncertainties of the clocks of this rank and of the last; NULL: unknown"

[column.margin_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time from the second-to-last start to the last start"

[changes]
1 = "first version"
--- */
WITH member AS (
  SELECT
    *,
    count(aligned_start_ns) OVER instance = count(*) OVER instance
      AND min(confidence) OVER instance > 0.5 AS is_comparable,
    max(aligned_start_ns) OVER instance AS last_start_ns,
    row_number() OVER (
      PARTITION BY instance_id ORDER BY aligned_start_ns DESC, rank NULLS LAST, trace_id
    ) AS place_from_last
  FROM whole_collective_member()
  WHERE is_synchronizing
  WINDOW instance AS (PARTITION BY instance_id)
),
ends AS (
  SELECT
    instance_id,
    max(CASE WHEN place_from_last = 1 THEN trace_id END) AS last_trace_id,
    max(CASE WHEN place_from_last = 1 THEN rank END) AS last_rank,
    max(CASE WHEN place_from_last = 1 THEN uncertainty_ns END) AS last_uncertainty_ns,
    max(CASE WHEN place_from_last = 2 THEN aligned_start_ns END) AS before_last_start_ns
  FROM member
  WHERE is_comparable
  GROUP BY instance_id
)
SELECT
  m.instance_id,
  m.slice_id,
  m.trace_id,
  m.run_id,
  m.rank,
  e.last_trace_id,
  e.last_rank,
  m.last_start_ns - m.aligned_start_ns AS wait_ns,
  m.last_start_ns - e.before_last_start_ns AS margin_ns,
  m.uncertainty_ns + e.last_uncertainty_ns AS uncertainty_ns
FROM member AS m
JOIN ends AS e ON e.instance_id = m.instance_id
WHERE m.is_comparable
  AND e.before_last_start_ns IS NOT NULL
ORDER BY m.instance_id, m.slice_id
