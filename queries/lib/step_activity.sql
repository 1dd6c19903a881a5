/* ---
name = "step_activity"
version = 1
title = "How long the work of each step did what on each device, exactly"
help = """
As device_activity, of the work launched in one step. Work of other steps that runs at the same time
does not count. Steps without work on a device have no row.
"""
grain = ["device_id", "step_id"]
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
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step, by the links of kind step"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first operation, on the scale of slice.ts"

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
help = "Any operation of the step runs"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel of the step runs"

[[column]]
name = "communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A communication kernel of the step runs"

[[column]]
name = "memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset of the step runs"

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
WITH op AS (
  SELECT
    d.trace_id,
    d.device_id,
    k.from_id AS step_id,
    d.start_ns,
    d.end_ns,
    CASE d.class WHEN 'compute' THEN 1 WHEN 'communication' THEN 2 ELSE 3 END AS class_n,
    -- Times that set steps 2^64 ns apart: what runs in one step lies before all of the next, so that
    -- the work of all steps is one sequence. A window for each of many steps takes twice as long.
    k.from_id * 18446744073709551616 + d.start_ns AS start_key,
    k.from_id * 18446744073709551616 + d.end_ns AS end_key
  FROM device_op() AS d
  JOIN link AS k ON k.to_id = d.slice_id AND k.kind = 'step' AND k.link_set = 'default'
),
-- Operations in the order of their starts: each adds to a union what reaches beyond all before it,
-- and the reach of a union of classes is the greatest of theirs. (The order of those that start
-- together does not change the sums.) Times in which two classes run at once follow: |A and B| =
-- |A| + |B| - |A or B|.
reach AS (
  SELECT
    *,
    max(CASE WHEN class_n = 1 THEN end_key END) OVER past AS compute_reach,
    max(CASE WHEN class_n = 2 THEN end_key END) OVER past AS communication_reach,
    max(CASE WHEN class_n = 3 THEN end_key END) OVER past AS memory_reach
  FROM op
  WINDOW past AS (
    PARTITION BY trace_id, device_id
    ORDER BY start_key
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
gain AS (
  SELECT
    *,
    greatest(end_key - greatest(start_key, compute_reach), 0)::BIGINT AS compute_gain,
    greatest(end_key - greatest(start_key, communication_reach), 0)::BIGINT AS communication_gain,
    greatest(end_key - greatest(start_key, memory_reach), 0)::BIGINT AS memory_gain,
    greatest(end_key - greatest(start_key, compute_reach, communication_reach), 0)::BIGINT
      AS compute_or_communication_gain,
    greatest(end_key - greatest(start_key, compute_reach, memory_reach), 0)::BIGINT
      AS compute_or_memory_gain,
    greatest(
      end_key - greatest(start_key, compute_reach, communication_reach, memory_reach), 0
    )::BIGINT AS any_gain
  FROM reach
),
length AS (
  SELECT
    trace_id,
    device_id,
    step_id,
    count(*) AS n_ops,
    count(CASE WHEN class_n < 3 THEN 1 END) AS n_kernels,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(any_gain)::BIGINT AS any_ns,
    sum(CASE WHEN class_n = 1 THEN compute_gain ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN class_n = 2 THEN communication_gain ELSE 0 END)::BIGINT AS communication_ns,
    sum(CASE WHEN class_n = 3 THEN memory_gain ELSE 0 END)::BIGINT AS memory_ns,
    sum(CASE WHEN class_n <> 3 THEN compute_or_communication_gain ELSE 0 END)::BIGINT
      AS compute_or_communication_ns,
    sum(CASE WHEN class_n <> 2 THEN compute_or_memory_gain ELSE 0 END)::BIGINT
      AS compute_or_memory_ns
  FROM gain
  GROUP BY trace_id, device_id, step_id
)
SELECT
  trace_id,
  device_id,
  step_id,
  n_ops,
  n_kernels,
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
