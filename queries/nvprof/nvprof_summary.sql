/* ---
name = "nvprof_summary"
version = 1
title = "GPU activities and API calls by name, as printed by nvprof without options"
help = """
GPU activities are kernels, copies and memsets, without waits; API calls are runtime and driver
calls combined. Negative durations, including unfinished ones, count as 0 ns. nvprof's Time(%) is
100 times share.
"""
grain = ["trace_id", "type", "name"]
columns = [
  "run_id", "trace_id", "rank", "type", "name", "share", "n_calls", "total_ns", "mean_ns", "min_ns",
  "max_ns",
]

[column]
name.help = "Kernel name, kind of copy, or function name"
share.help = "Share of the total time of the type in the trace; NULL if that is 0"
n_calls.help = "Number of slices"

[column.type]
type = "VARCHAR"
unit = "text"
check = "IN ('GPU activities', 'API calls')"
help = "GPU activities or API calls"

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
