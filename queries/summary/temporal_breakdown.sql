/* ---
name = "temporal_breakdown"
version = 1
title = "Idle, compute, exposed communication and exposed memory time per rank, device and step"
help = """
One row for the whole trace on each device (scope trace, no step), and one for each step (scope
step). Every instant of the span is exactly one of idle, compute, exposed communication and exposed
memory, so they add up to it. The span of a row begins with its first operation on the device and
ends with its last; for a step only the work launched in it counts. Steps whose work runs at the
same time overlap, and time between the work of two steps belongs to neither, so steps do not add up
to the trace. non_compute_ns is everything that is neither idle nor compute, as in Holistic Trace
Analysis. In a time window the rows of devices are of the part of the span inside it; it contains
the steps that run in it on the host, with all their work.
"""
grain = ["trace_id", "device_id", "scope", "step_id"]
requires = { schema = ">=1", queries = ["device_activity@2", "step_activity@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "scope", "step_id", "step", "n_ops",
  "start_ns", "span_ns", "idle_ns", "compute_ns", "non_compute_ns", "exposed_communication_ns",
  "exposed_memory_ns", "idle_share", "compute_share", "non_compute_share",
  "exposed_communication_share", "exposed_memory_share",
]

[column]
scope = { type = "VARCHAR", unit = "text", check = "IN ('trace', 'step')", help = "Scope of the row: trace or step" }
step_id = { nullable = true, help = "Step; NULL for the whole trace" }
n_ops.help = "Number of kernels, copies and memsets"
start_ns.help = "Start of the first operation, on the time axis of slice.ts"
span_ns.help = "Time from the start of the first operation to the end of the last"
idle_share.help = "idle_ns / span_ns; NULL for an empty span"
compute_share.help = "compute_ns / span_ns; NULL for an empty span"

[column.non_compute_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which something runs, but no compute kernel"

[column.non_compute_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "non_compute_ns / span_ns; NULL for an empty span"

[column.exposed_communication_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_communication_ns / span_ns; NULL for an empty span"

[column.exposed_memory_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_memory_ns / span_ns; NULL for an empty span"

[changes]
1 = "first version"
--- */
WITH part AS (
  SELECT
    trace_id,
    device_id,
    'trace' AS scope,
    NULL::BIGINT AS step_id,
    n_ops,
    start_ns,
    end_ns - start_ns AS span_ns,
    busy_ns,
    compute_ns,
    exposed_communication_ns,
    exposed_memory_ns
  FROM device_activity()
  UNION ALL
  SELECT
    trace_id,
    device_id,
    'step' AS scope,
    step_id,
    n_ops,
    start_ns,
    end_ns - start_ns AS span_ns,
    busy_ns,
    compute_ns,
    exposed_communication_ns,
    exposed_memory_ns
  FROM step_activity()
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.scope,
  a.step_id,
  s.number AS step,
  a.n_ops,
  a.start_ns,
  a.span_ns,
  a.span_ns - a.busy_ns AS idle_ns,
  a.compute_ns,
  a.busy_ns - a.compute_ns AS non_compute_ns,
  a.exposed_communication_ns,
  a.exposed_memory_ns,
  (a.span_ns - a.busy_ns) / nullif(a.span_ns, 0) AS idle_share,
  a.compute_ns / nullif(a.span_ns, 0) AS compute_share,
  (a.busy_ns - a.compute_ns) / nullif(a.span_ns, 0) AS non_compute_share,
  a.exposed_communication_ns / nullif(a.span_ns, 0) AS exposed_communication_share,
  a.exposed_memory_ns / nullif(a.span_ns, 0) AS exposed_memory_share
FROM part AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN step AS s ON s.slice_id = a.step_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.scope DESC, s.ts, a.step_id
