/* ---
name = "step_summary"
version = 1
title = "Each step on the host and on each device"
help = """
The device's figures are of the work launched in the step, whenever it runs. A step that launched no
work has one row without a device. A step of negative length, also one that never ended, counts 0 ns
on the host. Host and device times are compared as the source has them.
"""
grain = ["trace_id", "step_id", "device_id"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_launches@1"] }

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
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: the step launched no work, or the source does not say where it ran"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the step on the host, on the scale of slice.ts"

[[column]]
name = "host_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Its duration on the host"

[[column]]
name = "relative_host"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "host_ns by the median of all steps of the trace; NULL when that is 0"

[[column]]
name = "n_launches"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls that caused work on the device"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels"

[[column]]
name = "device_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of the first operation; NULL without work"

[[column]]
name = "device_span_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From the start of the first operation to the end of the last"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Any operation of the step runs"

[[column]]
name = "idle_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "device_span_ns less busy_ns"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "busy_ns / device_span_ns; NULL for an empty span"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel runs"

[[column]]
name = "exposed_communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Communication runs and compute does not"

[[column]]
name = "exposed_memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset runs, and neither compute nor communication does"

[[column]]
name = "lag_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "From the end of the step on the host to the end of its last operation; negative: the host waited for it"

[changes]
1 = "first version"
--- */
WITH relative AS (
  SELECT
    *,
    median(greatest(dur, 0)) OVER (PARTITION BY trace_id) AS median_ns
  FROM step
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
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN step_activity() AS a ON a.step_id = s.slice_id
LEFT JOIN step_launches() AS l
  ON l.step_id = a.step_id AND coalesce(l.device_id, -1) = coalesce(a.device_id, -1)
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, s.trace_id, s.ts, s.slice_id, d.ordinal, a.device_id
