/* ---
name = "gpu_time_by_python_frame"
version = 1
title = "Device time by the Python function that caused it; those with most of their own first"
help = """
A kernel, copy or memset belongs itself to the innermost function around the call that launched it,
and in all to every function further out; a function that calls itself, however indirectly, has it
once. Objects' addresses are left out of names, so a method of two lists is one function. Durations
are added, so work that overlaps counts twice; lengths below 0 count 0 ns. Needs a recording with
Python stacks; functions that launched nothing have no row.
"""
grain = ["trace_id", "name"]
portable = false
requires = { schema = ">=1", queries = ["frame_device_time@1"] }

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Only so many functions of each trace; null: all"

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
help = "The function as recorded, without addresses: file(line): function, or nn.Module: and an instance"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the function, of the built-in, or of the module's instance"

[[column]]
name = "file"
type = "VARCHAR"
unit = "text"
nullable = true
help = "File it is written in; NULL for built-ins and modules"

[[column]]
name = "line"
type = "BIGINT"
unit = "count"
nullable = true
help = "Line it begins in; NULL for built-ins and modules"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls in which device work was launched, calls within such calls of the function left out"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets launched in or below it"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of those it is the innermost function of"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of all of them"

[[column]]
name = "self_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "self_device_ns of the sum of durations of all device work of the trace; NULL when that is 0"

[[column]]
name = "total_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_device_ns of the same"

[changes]
1 = "first version"
--- */
WITH device_time AS (
  SELECT trace_id, sum(greatest(dur, 0))::BIGINT AS all_ns
  FROM gpu_op
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
