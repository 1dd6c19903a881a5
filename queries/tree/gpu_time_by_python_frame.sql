/* ---
name = "gpu_time_by_python_frame"
version = 1
title = "Device time by Python function"
help = """
Ordered by self time. A kernel, copy or memset counts as self time of the innermost function around
the call that launched it, and as total time of every enclosing function; a recursive function
counts it once. Object addresses are removed from names, so a method of two lists is one function.
Durations are summed, so overlapping work counts twice. Negative durations count as 0 ns. Requires a
recording with Python stacks; functions that launched nothing have no row. In a time window the sums
are of the parts of the work inside it, wherever it was launched, so disjoint windows add up to the
whole.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=1", queries = ["frame_device_time@1"], rows = ["whole_python_call"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "name", "function", "file", "line", "n_calls", "n_device_ops",
  "self_device_ns", "total_device_ns", "self_share", "total_share",
]

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of functions per trace; null: all"

[column]
name.help = "Function as recorded, without object addresses: file(line): function, or nn.Module: and an instance"
function.help = "Name of the function, built-in, or module instance"
file = { type = "VARCHAR", unit = "text", nullable = true, help = "Source file; NULL for built-ins and modules" }
n_calls.help = "Number of calls that launched device work, excluding calls nested in such calls of the function"
self_device_ns.help = "Sum of the durations of the work whose innermost function this is"
self_share.help = "Share of the durations of all device work of the trace; NULL if that is 0"

[column.line]
type = "BIGINT"
unit = "count"
nullable = true
help = "First line of the function; NULL for built-ins and modules"

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in or below it"

[column.total_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of total_device_ns in the durations of all device work of the trace; NULL if that is 0"

[changes]
1 = "first version"
--- */
WITH device_time AS (
  SELECT
    trace_id,
    sum(greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0))::BIGINT
      AS all_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind <> 'sync'
  GROUP BY trace_id
),
by_name AS (
  SELECT
    trace_id,
    name,
    sum(CASE WHEN is_inner THEN 0 ELSE 1 END)::BIGINT AS n_calls,
    sum(CASE WHEN is_inner THEN 0 ELSE n_device_ops END)::BIGINT AS n_device_ops,
    sum(self_device_ns)::BIGINT AS self_device_ns,
    sum(CASE WHEN is_inner THEN 0 ELSE device_ns END)::BIGINT AS total_device_ns
  FROM frame_device_time()
  GROUP BY trace_id, name
),
ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id
      ORDER BY self_device_ns DESC, total_device_ns DESC, name
    ) AS place,
    nullif(regexp_extract(name, '^(.*)[(]([0-9]+)[)]: (.*)$', 1), '') AS file
  FROM by_name
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.name,
  CASE
    WHEN a.file IS NOT NULL THEN regexp_extract(a.name, '^(.*)[(]([0-9]+)[)]: (.*)$', 3)
    ELSE regexp_replace(a.name, '^nn[.]Module: ', '')
  END AS function,
  a.file,
  CASE
    WHEN a.file IS NOT NULL
      THEN TRY_CAST(regexp_extract(a.name, '^(.*)[(]([0-9]+)[)]: (.*)$', 2) AS BIGINT)
  END AS line,
  a.n_calls,
  a.n_device_ops,
  a.self_device_ns,
  a.total_device_ns,
  a.self_device_ns / nullif(d.all_ns, 0) AS self_share,
  a.total_device_ns / nullif(d.all_ns, 0) AS total_share
FROM ranked AS a
JOIN trace AS t ON t.id = a.trace_id
JOIN device_time AS d ON d.trace_id = a.trace_id
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, a.place
