/* ---
name = "python_flame"
version = 1
title = "Device time by Python stack, as rows of a flame graph"
help = """
A row is a stack of functions, outermost first; calls with the same stack are one row, on all
threads. The lines "path self_device_ns" of all rows are the folded stacks flame graph tools read.
Device work belongs to the innermost function around the call that launched it. With max_depth, work
launched deeper belongs to the last function shown. Semicolons in names become colons; objects'
addresses are left out. Durations are added, so work that overlaps counts twice.
"""
grain = ["trace_id", "path"]
portable = false
requires = { schema = ">=1", queries = ["frame_device_time@1"] }

[param.max_depth]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "How many functions of a stack are shown, from the outermost; null: all"

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
name = "path"
type = "VARCHAR"
unit = "text"
help = "The functions, outermost first, with ; between them"

[[column]]
name = "depth"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Functions in the path"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The last function of the path"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls with this stack in which device work was launched"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets launched in or below them"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of those that belong to the last function"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of all of them"

[changes]
1 = "first version"
--- */
WITH RECURSIVE frame AS MATERIALIZED (
  SELECT
    slice_id,
    trace_id,
    above_id,
    replace(coalesce(name, '?'), ';', ':') AS name,
    n_device_ops,
    self_device_ns,
    device_ns
  FROM frame_device_time()
),
-- Calls know their stack by a number; its text is put together once for each stack, below.
walk AS (
  SELECT
    slice_id,
    trace_id,
    name,
    1::BIGINT AS depth,
    0::UBIGINT AS above_key,
    hash(name) AS path_key,
    n_device_ops,
    self_device_ns,
    device_ns
  FROM frame
  WHERE above_id IS NULL
  UNION ALL
  SELECT
    f.slice_id,
    f.trace_id,
    f.name,
    w.depth + 1,
    w.path_key,
    hash(w.path_key, f.name),
    f.n_device_ops,
    f.self_device_ns,
    f.device_ns
  FROM frame AS f
  JOIN walk AS w ON w.slice_id = f.above_id
  WHERE $max_depth::BIGINT IS NULL OR w.depth < $max_depth::BIGINT
),
stack AS MATERIALIZED (
  SELECT
    trace_id,
    depth,
    above_key,
    path_key,
    name,
    count(*) AS n_calls,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(CASE WHEN depth = $max_depth::BIGINT THEN device_ns ELSE self_device_ns END)::BIGINT
      AS self_device_ns,
    sum(device_ns)::BIGINT AS total_device_ns
  FROM walk
  GROUP BY trace_id, depth, above_key, path_key, name
),
text AS (
  SELECT trace_id, depth, path_key, name AS path
  FROM stack
  WHERE depth = 1
  UNION ALL
  SELECT s.trace_id, s.depth, s.path_key, concat(t.path, ';', s.name)
  FROM stack AS s
  JOIN text AS t
    ON t.trace_id = s.trace_id AND t.path_key = s.above_key AND t.depth = s.depth - 1
)
SELECT
  r.run_id,
  s.trace_id,
  r.rank,
  t.path,
  s.depth,
  s.name,
  s.n_calls,
  s.n_device_ops,
  s.self_device_ns,
  s.total_device_ns
FROM stack AS s
JOIN text AS t ON t.trace_id = s.trace_id AND t.depth = s.depth AND t.path_key = s.path_key
JOIN trace AS r ON r.id = s.trace_id
ORDER BY r.run_id, r.rank, s.trace_id, t.path
