/* ---
name = "device_activity"
version = 1
title = "How long each device did what, exactly"
help = """
Each figure is the length of a set of instants between the start of the first and the end of the
last operation of the device, so overlapping operations count once. Devices without work have no
row.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_op@1"] }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first operation"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the last operation"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Any operation runs"

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
name = "memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset runs"

[[column]]
name = "compute_communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Compute and communication run at once"

[[column]]
name = "compute_memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Compute and a copy or a memset run at once"

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

[changes]
1 = "first version"
--- */
-- A sweep: each operation steps its class up at its start and down at its end; between two
-- neighbouring steps the running sums say what runs. Steps at the same instant are no time apart,
-- so their order does not matter to any sum.
WITH op AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    CASE WHEN class = 'compute' THEN 1 ELSE 0 END AS compute,
    CASE WHEN class = 'communication' THEN 1 ELSE 0 END AS communication,
    CASE WHEN class = 'memory' THEN 1 ELSE 0 END AS memory
  FROM device_op()
),
step AS (
  SELECT trace_id, device_id, start_ns AS at_ns, 1 AS n_started, compute, communication, memory
  FROM op
  UNION ALL
  SELECT trace_id, device_id, end_ns, 0, -compute, -communication, -memory
  FROM op
),
segment AS (
  SELECT
    trace_id,
    device_id,
    n_started,
    at_ns,
    lead(at_ns) OVER place - at_ns AS length_ns,
    sum(compute) OVER past > 0 AS is_compute,
    sum(communication) OVER past > 0 AS is_communication,
    sum(memory) OVER past > 0 AS is_memory
  FROM step
  WINDOW
    place AS (
      PARTITION BY trace_id, device_id
      ORDER BY at_ns, n_started, compute, communication, memory
    ),
    past AS (
      PARTITION BY trace_id, device_id
      ORDER BY at_ns, n_started, compute, communication, memory
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
)
SELECT
  trace_id,
  device_id,
  sum(n_started)::BIGINT AS n_ops,
  min(at_ns) AS start_ns,
  max(at_ns) AS end_ns,
  coalesce(
    sum(length_ns) FILTER (WHERE is_compute OR is_communication OR is_memory), 0
  )::BIGINT AS busy_ns,
  coalesce(sum(length_ns) FILTER (WHERE is_compute), 0)::BIGINT AS compute_ns,
  coalesce(sum(length_ns) FILTER (WHERE is_communication), 0)::BIGINT AS communication_ns,
  coalesce(sum(length_ns) FILTER (WHERE is_memory), 0)::BIGINT AS memory_ns,
  coalesce(
    sum(length_ns) FILTER (WHERE is_compute AND is_communication), 0
  )::BIGINT AS compute_communication_ns,
  coalesce(
    sum(length_ns) FILTER (WHERE is_compute AND is_memory), 0
  )::BIGINT AS compute_memory_ns,
  coalesce(
    sum(length_ns) FILTER (WHERE is_communication AND NOT is_compute), 0
  )::BIGINT AS exposed_communication_ns,
  coalesce(
    sum(length_ns) FILTER (WHERE is_memory AND NOT is_compute AND NOT is_communication), 0
  )::BIGINT AS exposed_memory_ns
FROM segment
GROUP BY trace_id, device_id
ORDER BY trace_id, device_id
