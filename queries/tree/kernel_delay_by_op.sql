/* ---
name = "kernel_delay_by_op"
version = 1
title = "Kernels of each operator with their launch delays"
help = """
Longest first. The operator is the innermost one around the launching call; kernels without a
recorded launch, or launched outside operators, have no row. delay counts from the start of the call
to the start of its kernel, queue from the return of the call for kernels that had not started by
then; start counts from the start of the operator. Negative durations count as 0 ns. In a time
window, total_ns is of the parts of the kernels inside it; other statistics are of whole kernels.
"""
grain = ["trace_id", "device_id", "op", "name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "op", "name", "n_kernels", "n_op_calls",
  "total_ns", "mean_ns", "mean_delay_ns", "max_delay_ns", "n_queued", "mean_queue_ns",
  "mean_start_ns",
]

[param.op]
type = "VARCHAR"
nullable = true
help = "Only operators with this name; * and ? match any characters; null: all"

[column]
op = { type = "VARCHAR", unit = "text", nullable = false, help = "Innermost operator around the launching call" }
name.help = "Name of the kernel"
n_op_calls = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of calls of the operator that launched the kernel" }
mean_delay_ns = { type = "DOUBLE", unit = "ns", help = "Mean time from the start of the launching call to the start of the kernel" }
max_delay_ns = { type = "BIGINT", unit = "ns", help = "Longest such time" }
n_queued = { type = "BIGINT", unit = "count", check = ">= 0", help = "Kernels that had not started when their call returned" }
mean_queue_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Mean time these waited from the return of the call; NULL if none did" }
mean_start_ns = { type = "DOUBLE", unit = "ns", help = "Mean time from the start of the operator to the start of the kernel" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT
    g.trace_id,
    g.device_id,
    g.name,
    a.from_id AS cpu_op_id,
    greatest(g.dur, 0) AS kernel_ns,
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0) AS inside_ns,
    g.ts AS kernel_start_ns,
    l.ts AS call_start_ns,
    CASE WHEN g.ts >= l.ts + greatest(l.dur, 0) THEN g.ts - l.ts - greatest(l.dur, 0) END AS queue_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  JOIN whole_launch AS l ON l.slice_id = k.from_id
  JOIN whole_link AS a ON a.to_id = k.from_id AND a.kind = 'op_launch' AND a.link_set = 'default'
  WHERE g.kind = 'kernel'
)
SELECT
  r.run_id,
  k.trace_id,
  r.rank,
  k.device_id,
  d.ordinal AS device,
  o.name AS op,
  k.name,
  count(*) AS n_kernels,
  count(DISTINCT k.cpu_op_id) AS n_op_calls,
  sum(k.inside_ns)::BIGINT AS total_ns,
  avg(k.kernel_ns) AS mean_ns,
  avg(k.kernel_start_ns - k.call_start_ns) AS mean_delay_ns,
  max(k.kernel_start_ns - k.call_start_ns) AS max_delay_ns,
  count(k.queue_ns) AS n_queued,
  avg(k.queue_ns) AS mean_queue_ns,
  avg(k.kernel_start_ns - o.ts) AS mean_start_ns
FROM kernel AS k
JOIN whole_cpu_op AS o ON o.slice_id = k.cpu_op_id
JOIN trace AS r ON r.id = k.trace_id
LEFT JOIN device AS d ON d.id = k.device_id
WHERE $op::VARCHAR IS NULL OR o.name GLOB $op::VARCHAR
GROUP BY r.run_id, k.trace_id, r.rank, k.device_id, d.ordinal, o.name, k.name
ORDER BY r.run_id, r.rank, k.trace_id, d.ordinal, k.device_id, total_ns DESC, op, k.name
