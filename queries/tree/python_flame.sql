/* ---
name = "python_flame"
version = 1
title = "Device time by Python stack, as flame graph rows"
help = """
A row is a stack of functions, outermost first; calls with the same stack share a row, across
threads. The lines "path self_device_ns" of all rows are the folded stacks that flame graph tools
read. Device work belongs to the innermost function around the call that launched it. With
max_depth, work launched deeper belongs to the last function shown. Semicolons in names become
colons; object addresses are removed. Durations are summed, so overlapping work counts twice. In a
time window the sums are of the parts of the work inside it, wherever it was launched, so disjoint
windows add up to the whole.
"""
grain = ["trace_id", "path"]
requires = { schema = ">=1", queries = ["frame_device_time@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "path", "depth", "name", "n_calls", "n_device_ops",
  "self_device_ns", "total_device_ns",
]

[param.max_depth]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum stack depth, from the outermost function; null: all"

[column]
path.help = "Functions, outermost first, separated by ;"
depth = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of functions in the path" }
name = { nullable = false, help = "Last function of the path" }
n_calls.help = "Number of calls with this stack that launched device work"
self_device_ns.help = "Sum of the durations of the work that belongs to the last function"

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in or below these calls"

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
-- Calls refer to their stack by a number; its text is built once per stack, below.
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
