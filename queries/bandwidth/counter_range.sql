/* ---
name = "counter_range"
version = 1
title = "Hardware counters per kernel, with the operators that launched it"
help = """
One row per counter of a kernel or of a range measured by CUPTI's range profiler. Such ranges are
matched with calls by order, and only if the trace has as many kernel-launching calls as ranges.
"""
grain = ["trace_id", "slice_id", "counter"]
requires = { schema = ">=1", queries = ["counter_cause@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "ts", "kernel", "counter", "value", "launch_id",
  "cpu_op", "outer_op",
]

[column]
slice_id.help = "Kernel or range"
kernel.help = "Kernel or range name"
value = { type = "DOUBLE", unit = "see metric.unit", nullable = true, help = "Value" }
launch_id.help = "Launching call; NULL: unknown"
cpu_op.help = "Innermost operator around the call; NULL: none"
outer_op = { type = "VARCHAR", unit = "text", nullable = true, help = "Outermost operator around the call; NULL: none" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  m.trace_id,
  t.rank,
  m.slice_id,
  s.ts,
  s.name AS kernel,
  m.name AS counter,
  m.value,
  c.launch_id,
  o.name AS cpu_op,
  u.name AS outer_op
FROM whole_slice AS s
JOIN metric AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
JOIN trace AS t ON t.id = m.trace_id
LEFT JOIN counter_cause() AS c ON c.slice_id = m.slice_id
LEFT JOIN whole_cpu_op AS o ON o.slice_id = c.cpu_op_id
LEFT JOIN whole_cpu_op AS u ON u.slice_id = c.outer_op_id
ORDER BY t.run_id, t.rank, m.trace_id, s.ts, m.slice_id, m.name
