/* ---
name = "collective_wait"
version = 1
title = "Wait of each member of a synchronizing collective, and the awaited rank"
help = """
Only collectives whose members can be compared, that is, all clocks have offsets and no link between
them is doubtful (confidence 0.5 and below). If several members arrived last together, the lowest
rank counts as the last. A time window contains the collectives that run in it on any rank, whole.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["whole_collective_wait@1"] }
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
WITH wait AS (
  SELECT * FROM whole_collective_wait()
),
chosen AS (
  SELECT DISTINCT w.instance_id
  FROM wait AS w
  JOIN collective AS v ON v.slice_id = w.slice_id
)
SELECT
  w.instance_id,
  w.slice_id,
  w.trace_id,
  w.run_id,
  w.rank,
  w.last_trace_id,
  w.last_rank,
  w.wait_ns,
  w.margin_ns,
  w.uncertainty_ns
FROM wait AS w
SEMI JOIN chosen AS v ON v.instance_id = w.instance_id
ORDER BY w.instance_id, w.slice_id
