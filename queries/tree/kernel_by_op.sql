/* ---
name = "kernel_by_op"
version = 1
title = "Kernels, copies and memsets by the operators that launched them; longest first"
help = """
The operator is the innermost one around the launching call, the top operator the outermost one
above that. Both are NULL for work launched outside of operators, or whose launch was not recorded.
Durations are added, so work that overlaps counts twice; lengths below 0 count 0 ns.
"""
grain = ["trace_id", "device_id", "top_op", "op", "name", "kind"]
portable = false
requires = { schema = ">=1", queries = ["op_top@1"] }

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
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: work whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "top_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The outermost operator around the launching call"

[[column]]
name = "op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The innermost operator around the launching call"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel, copy or memset"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "kernel, memcpy or memset"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it ran"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of the sum of the durations of all work of the device; NULL when that is 0"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[changes]
1 = "first version"
--- */
WITH figure AS (
  SELECT
    g.trace_id,
    g.device_id,
    t.name AS top_op,
    o.name AS op,
    g.name,
    g.kind,
    count(*) AS n_device_ops,
    sum(greatest(g.dur, 0))::BIGINT AS total_ns
  FROM gpu_op AS g
  LEFT JOIN gpu_op_cause AS c ON c.slice_id = g.slice_id
  LEFT JOIN cpu_op AS o ON o.slice_id = c.cpu_op_id
  LEFT JOIN op_top() AS p ON p.slice_id = c.cpu_op_id
  LEFT JOIN cpu_op AS t ON t.slice_id = p.top_id
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.device_id, t.name, o.name, g.name, g.kind
)
SELECT
  r.run_id,
  a.trace_id,
  r.rank,
  a.device_id,
  d.ordinal AS device,
  a.top_op,
  a.op,
  a.name,
  a.kind,
  a.n_device_ops,
  a.total_ns,
  a.total_ns / nullif(sum(a.total_ns) OVER (PARTITION BY a.trace_id, a.device_id), 0) AS share,
  a.total_ns / a.n_device_ops AS mean_ns
FROM figure AS a
JOIN trace AS r ON r.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  r.run_id, r.rank, a.trace_id, d.ordinal, a.device_id, a.total_ns DESC, a.top_op, a.op, a.name,
  a.kind
