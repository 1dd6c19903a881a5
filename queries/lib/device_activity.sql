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
-- Operations in the order of their starts: each adds to a union what reaches beyond all before it,
-- and the reach of a union of classes is the greatest of theirs. Times in which two classes run at
-- once follow: |A and B| = |A| + |B| - |A or B|.
WITH reach AS (
  SELECT
    trace_id,
    device_id,
    class,
    start_ns,
    end_ns,
    max(CASE WHEN class = 'compute' THEN end_ns END) OVER past AS compute_reach,
    max(CASE WHEN class = 'communication' THEN end_ns END) OVER past AS communication_reach,
    max(CASE WHEN class = 'memory' THEN end_ns END) OVER past AS memory_reach
  FROM device_op()
  WINDOW past AS (
    PARTITION BY trace_id, device_id
    ORDER BY start_ns, end_ns, class
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
-- What each operation adds to the union of its own class, to the two unions of compute and one
-- other class, and to that of all; greatest() passes over the NULL of a class not yet seen.
gain AS (
  SELECT
    trace_id,
    device_id,
    class,
    start_ns,
    end_ns,
    greatest(end_ns - greatest(start_ns, compute_reach), 0) AS compute_gain,
    greatest(end_ns - greatest(start_ns, communication_reach), 0) AS communication_gain,
    greatest(end_ns - greatest(start_ns, memory_reach), 0) AS memory_gain,
    greatest(end_ns - greatest(start_ns, compute_reach, communication_reach), 0)
      AS compute_or_communication_gain,
    greatest(end_ns - greatest(start_ns, compute_reach, memory_reach), 0)
      AS compute_or_memory_gain,
    greatest(
      end_ns - greatest(start_ns, compute_reach, communication_reach, memory_reach), 0
    ) AS any_gain
  FROM reach
),
length AS (
  SELECT
    trace_id,
    device_id,
    count(*) AS n_ops,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(any_gain)::BIGINT AS any_ns,
    sum(CASE WHEN class = 'compute' THEN compute_gain ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN class = 'communication' THEN communication_gain ELSE 0 END)::BIGINT
      AS communication_ns,
    sum(CASE WHEN class = 'memory' THEN memory_gain ELSE 0 END)::BIGINT AS memory_ns,
    sum(CASE WHEN class <> 'memory' THEN compute_or_communication_gain ELSE 0 END)::BIGINT
      AS compute_or_communication_ns,
    sum(CASE WHEN class <> 'communication' THEN compute_or_memory_gain ELSE 0 END)::BIGINT
      AS compute_or_memory_ns
  FROM gain
  GROUP BY trace_id, device_id
)
SELECT
  trace_id,
  device_id,
  n_ops,
  start_ns,
  end_ns,
  any_ns AS busy_ns,
  compute_ns,
  communication_ns,
  memory_ns,
  compute_ns + communication_ns - compute_or_communication_ns AS compute_communication_ns,
  compute_ns + memory_ns - compute_or_memory_ns AS compute_memory_ns,
  compute_or_communication_ns - compute_ns AS exposed_communication_ns,
  any_ns - compute_or_communication_ns AS exposed_memory_ns
FROM length
ORDER BY trace_id, device_id
