/* ---
name = "overlap_by_step"
version = 1
title = "How much communication computation hides in each step"
help = """
As overlap, for the work launched in each step. A step without work on a device has no row there.
"""
grain = ["trace_id", "device_id", "step_id"]
requires = { schema = ">=1", queries = ["step_activity@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "The step's number, as the source counts"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel runs"

[[column]]
name = "communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A communication kernel runs"

[[column]]
name = "overlap_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Compute and communication run at once"

[[column]]
name = "overlap_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "overlap_ns / communication_ns; NULL without communication"

[[column]]
name = "exposed_communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Communication runs and compute does not"

[[column]]
name = "memory_overlap_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Compute and a copy or a memset run at once"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.step_id,
  s.number AS step,
  a.compute_ns,
  a.communication_ns,
  a.compute_communication_ns AS overlap_ns,
  a.compute_communication_ns / nullif(a.communication_ns, 0) AS overlap_share,
  a.exposed_communication_ns,
  a.compute_memory_ns AS memory_overlap_ns
FROM step_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN step AS s ON s.slice_id = a.step_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, s.ts, a.step_id
