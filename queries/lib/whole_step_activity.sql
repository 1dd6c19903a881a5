/* ---
name = "whole_step_activity"
version = 1
title = "Exact time per step and device by activity, inside and outside of the time window"
help = """
As device_activity, for the work launched in one step. Work of other steps that runs at the same
time does not count. Steps without work on a device have no row. Steps of all times are returned, with
all their work.
"""
grain = ["device_id", "step_id"]
requires = { schema = ">=1", queries = ["whole_device_op@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "trace_id", "device_id", "step_id", "n_ops", "n_kernels", "start_ns", "end_ns", "busy_ns",
  "compute_ns", "communication_ns", "memory_ns", "compute_communication_ns", "compute_memory_ns",
  "exposed_communication_ns", "exposed_memory_ns",
]

[column]
step_id.help = "Step, by links of kind step"
n_ops.help = "Number of kernels, copies and memsets"
n_kernels = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernels" }
start_ns.help = "Start of the first operation, on the time axis of slice.ts"
end_ns.help = "End of the last operation"
busy_ns.help = "Time in which any operation of the step runs"
compute_ns.help = "Time in which a compute kernel of the step runs"
communication_ns.help = "Time in which a communication kernel of the step runs"
memory_ns.help = "Time in which a copy or memset of the step runs"

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
    -- Keys set steps 2^64 ns apart, so everything in one step precedes everything in the next and
    -- the work of all steps is one sequence. A window per step takes twice as long if there are
    -- many.
    k.from_id * 18446744073709551616 + d.start_ns AS start_key,
    k.from_id * 18446744073709551616 + d.end_ns AS end_key
  FROM whole_device_op() AS d
  JOIN whole_link AS k ON k.to_id = d.slice_id AND k.kind = 'step' AND k.link_set = 'default'
  SEMI JOIN whole_step AS s ON s.slice_id = k.from_id
),
-- Operations in order of start: each adds to a union the part beyond all operations before it, and
-- the reach of a union of classes is the maximum of theirs. (The order of operations that start
-- together does not change the sums.) Times in which two classes run at once follow from |A and B|
-- = |A| + |B| - |A or B|.
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
