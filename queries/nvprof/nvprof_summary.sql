/* ---
name = "nvprof_summary"
version = 2
title = "GPU activities and API calls by name, as printed by nvprof without options"
help = """
GPU activities are kernels, copies and memsets, without waits and without migrations of managed
memory (um_total_sum sums those); API calls are runtime and driver calls combined. Negative durations, including unfinished ones, count as 0 ns. nvprof's Time(%) is
100 times share. In a time window, sums are of the parts of the durations inside it, so disjoint
windows add up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "type", "name"]
requires = { schema = ">=13" }
scale = "trace"
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
2 = "without migrations of managed memory, as nvprof prints it"
--- */
WITH record AS (
  SELECT trace_id, 'GPU activities' AS type, name, greatest(dur, 0) AS dur,
    greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0) AS inside_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind <> 'sync' AND NOT coalesce(is_unified, false)
  UNION ALL
  SELECT trace_id, 'API calls', name, greatest(dur, 0),
    greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0)
  FROM launch
  CROSS JOIN time_window AS w
),
by_name AS (
  SELECT
    trace_id,
    type,
    name,
    count(*) AS n_calls,
    sum(inside_ns)::BIGINT AS total_ns,
    sum(dur)::BIGINT AS all_ns,
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
  b.all_ns / b.n_calls AS mean_ns,
  b.min_ns,
  b.max_ns
FROM by_name AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.type DESC, b.total_ns DESC, b.name
