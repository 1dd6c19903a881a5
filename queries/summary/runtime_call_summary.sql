/* ---
name = "runtime_call_summary"
version = 1
title = "Runtime and driver calls on the host by name, those with most time first"
help = """
purpose is read from the name: launch, copy, memset, sync (the host waits), event, memory (reserved
or released) or other; a call of any other name that caused kernels is a launch too. self_ns is the
time of a call without that of the slices directly inside it. A call of negative length, also one
that never ended, counts 0 ns.
"""
grain = ["trace_id", "category", "name"]
portable = false

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
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "cuda_runtime, cuda_driver, hip_runtime, ..."

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The call"

[[column]]
name = "purpose"
type = "VARCHAR"
unit = "text"
check = "IN ('launch', 'copy', 'memset', 'sync', 'event', 'memory', 'other')"
help = "What the call is for"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was called"

[[column]]
name = "n_with_work"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls that caused device work, by the links of kind launch"

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
help = "total_ns of that of all calls of the trace; NULL when that is 0"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times without what is directly inside"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Nine of ten are not longer; between two neighbours, interpolated"

[[column]]
name = "p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99 of 100 are not longer, interpolated likewise"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT s.parent_id, sum(greatest(s.dur, 0)) AS children_ns
  FROM slice AS s
  SEMI JOIN launch AS l ON l.slice_id = s.parent_id
  GROUP BY s.parent_id
),
cause AS (
  SELECT k.from_id, max(CASE WHEN g.kind = 'kernel' THEN 1 ELSE 0 END) AS has_kernel
  FROM link AS k
  JOIN gpu_op AS g ON g.slice_id = k.to_id
  WHERE k.kind = 'launch'
    AND k.link_set = 'default'
  GROUP BY k.from_id
),
by_name AS (
  SELECT
    l.trace_id,
    l.category,
    l.name,
    count(*) AS n_calls,
    count(w.from_id) AS n_with_work,
    coalesce(max(w.has_kernel), 0) AS has_kernel,
    sum(greatest(l.dur, 0))::BIGINT AS total_ns,
    sum(greatest(greatest(l.dur, 0) - coalesce(c.children_ns, 0), 0))::BIGINT AS self_ns,
    min(greatest(l.dur, 0)) AS min_ns,
    quantile_cont(greatest(l.dur, 0), [0.5, 0.9, 0.99]) AS quantiles_ns,
    max(greatest(l.dur, 0)) AS max_ns
  FROM launch AS l
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
  a.total_ns / a.n_calls AS mean_ns
FROM by_name AS a
JOIN trace AS t ON t.id = a.trace_id
ORDER BY t.run_id, t.rank, a.trace_id, a.total_ns DESC, a.n_calls DESC, a.category, a.name
