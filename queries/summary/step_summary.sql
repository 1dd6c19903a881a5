/* ---
name = "step_summary"
version = 1
title = "Host and device figures per step"
help = """
Device figures are of the work launched in the step, whenever it runs. A step that launched no work
has one row without a device. A step of negative duration, or an unfinished one, counts as 0 ns on
the host. Host and device times are compared as recorded. A time window contains the steps that run
in it on the host, with all their work, whenever that runs.
"""
grain = ["trace_id", "step_id", "device_id"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_launches@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "step_id", "step", "device_id", "device", "start_ns", "host_ns",
  "relative_host", "n_launches", "n_ops", "n_kernels", "device_start_ns", "device_span_ns",
  "busy_ns", "idle_ns", "utilization", "compute_ns", "exposed_communication_ns",
  "exposed_memory_ns", "lag_ns",
]

[column]
step_id.help = "Step"
device_id.help = "Device; NULL: the step launched no work, or its device is not recorded"
start_ns.help = "Start of the step on the host, on the time axis of slice.ts"
host_ns = { nullable = false, help = "Duration of the step on the host" }
n_ops = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernels, copies and memsets" }
n_kernels = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernels" }
busy_ns.help = "Time in which any operation of the step runs"
idle_ns = { nullable = true, help = "device_span_ns - busy_ns" }
utilization.help = "busy_ns / device_span_ns; NULL for an empty span"

[column.relative_host]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "host_ns / median of all steps of the trace; NULL if the median is 0"

[column.n_launches]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls that launched work on the device"

[column.device_start_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of the first operation; NULL without work"

[column.device_span_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from the start of the first operation to the end of the last"

[column.lag_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time from the end of the step on the host to the end of its last operation; negative: the host waited for the device"

[changes]
1 = "first version"
--- */
WITH relative AS (
  SELECT
    *,
    median(greatest(dur, 0)) OVER (PARTITION BY trace_id) AS median_ns
  FROM whole_step
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.slice_id AS step_id,
  s.number AS step,
  a.device_id,
  d.ordinal AS device,
  s.ts AS start_ns,
  greatest(s.dur, 0) AS host_ns,
  greatest(s.dur, 0) / nullif(s.median_ns, 0) AS relative_host,
  coalesce(l.n_launches, 0) AS n_launches,
  coalesce(a.n_ops, 0) AS n_ops,
  coalesce(a.n_kernels, 0) AS n_kernels,
  a.start_ns AS device_start_ns,
  a.end_ns - a.start_ns AS device_span_ns,
  coalesce(a.busy_ns, 0) AS busy_ns,
  a.end_ns - a.start_ns - a.busy_ns AS idle_ns,
  a.busy_ns / nullif(a.end_ns - a.start_ns, 0) AS utilization,
  coalesce(a.compute_ns, 0) AS compute_ns,
  coalesce(a.exposed_communication_ns, 0) AS exposed_communication_ns,
  coalesce(a.exposed_memory_ns, 0) AS exposed_memory_ns,
  a.end_ns - (s.ts + greatest(s.dur, 0)) AS lag_ns
FROM relative AS s
SEMI JOIN step AS k ON k.slice_id = s.slice_id
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN step_activity() AS a ON a.step_id = s.slice_id
LEFT JOIN step_launches() AS l
  ON l.step_id = a.step_id AND coalesce(l.device_id, -1) = coalesce(a.device_id, -1)
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, s.trace_id, s.ts, s.slice_id, d.ordinal, a.device_id
