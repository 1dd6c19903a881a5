/* ---
name = "runtime_call_summary"
version = 1
title = "Runtime and driver calls on the host by name"
help = """
Ordered by total time. purpose is derived from the name: launch, copy, memset, sync (the host
waits), event, memory (reserved or released) or other; a call of any other name that caused kernels
is a launch too. self_ns is the duration of a call minus its direct children. Negative durations,
including unfinished ones, count as 0 ns. In a time window, sums are of the parts of the durations
inside it, so disjoint windows add up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "category", "name"]
requires = { schema = ">=1", queries = ["cut_slice@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "category", "name", "purpose", "n_calls", "n_with_work", "total_ns",
  "share", "self_ns", "min_ns", "median_ns", "p90_ns", "p99_ns", "max_ns", "mean_ns",
]

[column]
category.help = "cuda_runtime, cuda_driver, hip_runtime, ..."
name.help = "Call name"
n_calls.help = "Number of calls"
share.help = "Share of the total time of all calls of the trace; NULL if that is 0"
self_ns.help = "Sum of the self times"
p90_ns.help = "90th percentile of the durations, interpolated"
p99_ns.help = "99th percentile of the durations, interpolated"

[column.purpose]
type = "VARCHAR"
unit = "text"
check = "IN ('launch', 'copy', 'memset', 'sync', 'event', 'memory', 'other')"
help = "Purpose of the call"

[column.n_with_work]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls that caused device work, by links of kind launch"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT
    s.parent_id,
    sum(greatest(least(s.ts + s.dur, w.to_ns) - greatest(s.ts, w.from_ns), 0))
      AS children_ns
  FROM slice AS s
  CROSS JOIN time_window AS w
  SEMI JOIN launch AS l ON l.slice_id = s.parent_id
  GROUP BY s.parent_id
),
cause AS (
  SELECT k.from_id, max(CASE WHEN g.kind = 'kernel' THEN 1 ELSE 0 END) AS has_kernel
  FROM whole_link AS k
  JOIN whole_gpu_op AS g ON g.slice_id = k.to_id
  WHERE k.kind = 'launch'
    AND k.link_set = 'default'
  GROUP BY k.from_id
),
call AS (
  SELECT
    l.*,
    greatest(least(l.ts + l.dur, w.to_ns) - greatest(l.ts, w.from_ns), 0) AS inside_ns
  FROM launch AS l
  CROSS JOIN time_window AS w
),
by_name AS (
  SELECT
    l.trace_id,
    l.category,
    l.name,
    count(*) AS n_calls,
    count(w.from_id) AS n_with_work,
    coalesce(max(w.has_kernel), 0) AS has_kernel,
    sum(l.inside_ns)::BIGINT AS total_ns,
    sum(greatest(l.dur, 0))::BIGINT AS all_ns,
    sum(
      coalesce(x.self_ns, greatest(l.inside_ns - coalesce(c.children_ns, 0), 0))
    )::BIGINT AS self_ns,
    min(greatest(l.dur, 0)) AS min_ns,
    quantile_cont(greatest(l.dur, 0), [0.5, 0.9, 0.99]) AS quantiles_ns,
    max(greatest(l.dur, 0)) AS max_ns
  FROM call AS l
  LEFT JOIN cut_slice() AS x ON x.slice_id = l.slice_id
  LEFT JOIN child AS c ON c.parent_id = l.slice_id
  LEFT JOIN cause AS w ON w.from_id = l.slice_id
  GROUP BY l.trace_id, l.category, l.name
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.category,
  a.name,
  CASE
    WHEN a.name ILIKE '%synchronize%' OR a.name ILIKE '%queuefinish%' THEN 'sync'
    WHEN a.name ILIKE '%memset%' OR a.name ILIKE '%memoryfill%' THEN 'memset'
    WHEN a.name ILIKE '%memcpy%' OR a.name ILIKE '%memorycopy%' THEN 'copy'
    WHEN a.name ILIKE '%launch%' THEN 'launch'
    WHEN a.name ILIKE '%event%' THEN 'event'
    WHEN
      a.name ILIKE '%malloc%'
      OR a.name ILIKE '%memalloc%'
      OR a.name ILIKE '%hostalloc%'
      OR a.name ILIKE '%hostregister%'
      OR a.name ILIKE '%free%'
      THEN 'memory'
    WHEN a.has_kernel = 1 THEN 'launch'
    ELSE 'other'
  END AS purpose,
  a.n_calls,
  a.n_with_work,
  a.total_ns,
  a.total_ns / nullif(sum(a.total_ns) OVER (PARTITION BY a.trace_id), 0) AS share,
  a.self_ns,
  a.min_ns,
  a.quantiles_ns[1] AS median_ns,
  a.quantiles_ns[2] AS p90_ns,
  a.quantiles_ns[3] AS p99_ns,
  a.max_ns,
  a.all_ns / a.n_calls AS mean_ns
FROM by_name AS a
JOIN trace AS t ON t.id = a.trace_id
ORDER BY t.run_id, t.rank, a.trace_id, a.total_ns DESC, a.n_calls DESC, a.category, a.name
