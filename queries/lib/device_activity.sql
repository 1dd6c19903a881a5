/* ---
name = "device_activity"
version = 2
title = "Exact time per device by activity"
help = """
Each figure is the length of a union of intervals between the start of the first and the end of the
last operation of the device, so overlapping operations count once. Devices without work have no
row. In a time window the figures are those of the part of that time inside the window, so disjoint
windows add up to the whole.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_extent@1", "device_op@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "trace_id", "device_id", "n_ops", "start_ns", "end_ns", "busy_ns", "compute_ns",
  "communication_ns", "memory_ns", "compute_communication_ns", "compute_memory_ns",
  "exposed_communication_ns", "exposed_memory_ns",
]

[column]
n_ops = { check = ">= 0", help = "Number of kernels, copies and memsets; 0 only in a time window" }
start_ns.help = "Start of the first operation, or of the window if that is later"
end_ns.help = "End of the last operation, or of the window if that is earlier"
busy_ns.help = "Time in which any operation runs"

[changes]
2 = "a time window: its idle time at both ends counts, so that windows add up; n_ops may be 0"
1 = "first version"
--- */
-- Operations in order of start: each adds to a union the part beyond all operations before it, and
-- the reach of a union of classes is the maximum of theirs. Times in which two classes run at once
-- follow from |A and B| = |A| + |B| - |A or B|.
WITH numbered_device AS MATERIALIZED (
  SELECT *, row_number() OVER ()::INTEGER AS device_n
  FROM (SELECT DISTINCT trace_id, device_id FROM gpu_op)
),
-- Numbers instead of names and ids: what follows sorts all operations. (The order of operations that
-- start together does not change the sums.)
op AS (
  SELECT
    p.device_n,
    CASE d.class WHEN 'compute' THEN 1 WHEN 'communication' THEN 2 WHEN 'memory' THEN 3 ELSE 4 END::TINYINT
      AS class_n,
    d.start_ns,
    d.end_ns
  FROM device_op() AS d
  JOIN numbered_device AS p ON p.trace_id = d.trace_id AND p.device_id IS NOT DISTINCT FROM d.device_id
),
reach AS (
  SELECT
    *,
    max(CASE WHEN class_n = 1 THEN end_ns END) OVER past AS compute_reach,
    max(CASE WHEN class_n = 2 THEN end_ns END) OVER past AS communication_reach,
    max(CASE WHEN class_n = 3 THEN end_ns END) OVER past AS memory_reach
  FROM op
  WINDOW past AS (
    PARTITION BY device_n ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
-- What each operation adds to the union of its own class, to the unions of compute with each other
-- class, and to the union of all; greatest() ignores the NULL of a class that has not occurred yet.
gain AS (
  SELECT
    device_n,
    class_n,
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
    device_n,
    count(*) AS n_ops,
    sum(any_gain)::BIGINT AS any_ns,
    sum(CASE WHEN class_n = 1 THEN compute_gain ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN class_n = 2 THEN communication_gain ELSE 0 END)::BIGINT
      AS communication_ns,
    sum(CASE WHEN class_n = 3 THEN memory_gain ELSE 0 END)::BIGINT AS memory_ns,
    sum(CASE WHEN class_n <> 3 THEN compute_or_communication_gain ELSE 0 END)::BIGINT
      AS compute_or_communication_ns,
    sum(CASE WHEN class_n <> 2 THEN compute_or_memory_gain ELSE 0 END)::BIGINT
      AS compute_or_memory_ns
  FROM gain
  GROUP BY device_n
)
SELECT
  e.trace_id,
  e.device_id,
  coalesce(a.n_ops, 0) AS n_ops,
  e.start_ns,
  e.end_ns,
  coalesce(a.any_ns, 0) AS busy_ns,
  coalesce(a.compute_ns, 0) AS compute_ns,
  coalesce(a.communication_ns, 0) AS communication_ns,
  coalesce(a.memory_ns, 0) AS memory_ns,
  coalesce(a.compute_ns + a.communication_ns - a.compute_or_communication_ns, 0)
    AS compute_communication_ns,
  coalesce(a.compute_ns + a.memory_ns - a.compute_or_memory_ns, 0) AS compute_memory_ns,
  coalesce(a.compute_or_communication_ns - a.compute_ns, 0) AS exposed_communication_ns,
  coalesce(a.any_ns - a.compute_or_communication_ns, 0) AS exposed_memory_ns
FROM device_extent() AS e
LEFT JOIN numbered_device AS p ON p.trace_id = e.trace_id AND p.device_id IS NOT DISTINCT FROM e.device_id
LEFT JOIN length AS a ON a.device_n = p.device_n
ORDER BY e.trace_id, e.device_id
