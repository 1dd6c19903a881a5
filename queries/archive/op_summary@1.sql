/* ---
name = "op_summary"
version = 1
title = "Host operators by name, those with most time of their own first"
help = """
total_ns adds the durations of all calls, so a call inside another of the same name counts in both.
self_ns is the time of a call without that of its children: the slices, of any category, whose
parent_id is the call, which are those directly below it on its track. A call shorter than the sum
of its children counts 0 ns, and so does a slice of negative length, also one that never ended.
"""
grain = ["trace_id", "name"]

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
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The operator"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was called"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times without children"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "self_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "self_ns of that of all operators of the trace; NULL when that is 0"

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

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT parent_id, sum(greatest(dur, 0)) AS children_ns
  FROM slice
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
),
by_name AS (
  SELECT
    o.trace_id,
    o.name,
    count(*) AS n_calls,
    sum(greatest(greatest(o.dur, 0) - coalesce(c.children_ns, 0), 0))::BIGINT AS self_ns,
    sum(greatest(o.dur, 0))::BIGINT AS total_ns,
    min(greatest(o.dur, 0)) AS min_ns,
    max(greatest(o.dur, 0)) AS max_ns,
    median(greatest(o.dur, 0)) AS median_ns
  FROM cpu_op AS o
  LEFT JOIN child AS c ON c.parent_id = o.slice_id
  GROUP BY o.trace_id, o.name
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.name,
  a.n_calls,
  a.self_ns,
  a.total_ns,
  a.self_ns / nullif(sum(a.self_ns) OVER (PARTITION BY a.trace_id), 0) AS self_share,
  a.min_ns,
  a.max_ns,
  a.total_ns / a.n_calls AS mean_ns,
  a.median_ns
FROM by_name AS a
JOIN trace AS t ON t.id = a.trace_id
ORDER BY t.run_id, t.rank, a.trace_id, a.self_ns DESC, a.total_ns DESC, a.name
