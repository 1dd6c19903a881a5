/* ---
name = "nvprof_summary"
version = 1
title = "What nvprof prints without options: GPU activities and API calls by name"
help = """
GPU activities are kernels, copies and memsets, waits are none; API calls are those of the runtime and
of the driver, together. A duration that is negative, also of what never ended, counts 0 ns. nvprof's
Time(%) is 100 times share.
"""
grain = ["trace_id", "type", "name"]

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
name = "type"
type = "VARCHAR"
unit = "text"
check = "IN ('GPU activities', 'API calls')"
help = "GPU activities or API calls"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel, kind of copy, or function"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of that of the type in the trace; NULL when that is 0"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[changes]
1 = "first version"
--- */
WITH record AS (
  SELECT trace_id, 'GPU activities' AS type, name, greatest(dur, 0) AS dur
  FROM gpu_op
  WHERE kind <> 'sync'
  UNION ALL
  SELECT trace_id, 'API calls', name, greatest(dur, 0)
  FROM launch
),
by_name AS (
  SELECT
    trace_id,
    type,
    name,
    count(*) AS n_calls,
    sum(dur)::BIGINT AS total_ns,
    min(dur) AS min_ns,
    max(dur) AS max_ns
  FROM record
  GROUP BY trace_id, type, name
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  b.type,
  b.name,
  b.total_ns / nullif(sum(b.total_ns) OVER (PARTITION BY b.trace_id, b.type), 0) AS share,
  b.n_calls,
  b.total_ns,
  b.total_ns / b.n_calls AS mean_ns,
  b.min_ns,
  b.max_ns
FROM by_name AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.type DESC, b.total_ns DESC, b.name
