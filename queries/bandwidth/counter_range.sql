/* ---
name = "counter_range"
version = 1
title = "Hardware counters of every kernel, with the operators that launched it"
help = """
One row a counter of a kernel, or of a range that CUPTI's range profiler measured. Such ranges are
matched with calls by their order, and only where a trace has as many calls that launch a kernel as
ranges.
"""
grain = ["trace_id", "slice_id", "counter"]
portable = false
requires = { schema = ">=1", queries = ["counter_cause@1"] }

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
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The kernel or range"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
help = "Its start, on the scale of slice.ts"

[[column]]
name = "kernel"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "counter"
type = "VARCHAR"
unit = "text"
help = "The source's name of the counter"

[[column]]
name = "value"
type = "DOUBLE"
unit = "see metric.unit"
nullable = true
help = "The value"

[[column]]
name = "launch_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The call that launched it; NULL: not known"

[[column]]
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The innermost operator around the call; NULL: there is none"

[[column]]
name = "outer_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The outermost operator around the call; NULL: there is none"

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
FROM slice AS s
JOIN metric AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
JOIN trace AS t ON t.id = m.trace_id
LEFT JOIN counter_cause() AS c ON c.slice_id = m.slice_id
LEFT JOIN cpu_op AS o ON o.slice_id = c.cpu_op_id
LEFT JOIN cpu_op AS u ON u.slice_id = c.outer_op_id
ORDER BY t.run_id, t.rank, m.trace_id, s.ts, m.slice_id, m.name
