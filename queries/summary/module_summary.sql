/* ---
name = "module_summary"
version = 1
title = "nn.Modules by class or instance: host time, and device time of forward and backward"
help = """
Self times exclude module calls nested directly in a call; a call nested in another of the same row
counts once in the totals. Device time is that of the kernels, copies and memsets launched in the
forward call; backward device time is that of the operators that compute the gradients of its
operators. Work of a replayed graph is self time of the module in which it was captured only; it is in
the totals of the module that launched the graph, too. Durations are summed, so overlapping work counts twice. Requires a recording with Python
stacks of modules (with_stack or with_modules). In a time window a call counts if it runs in it or
its device work does: sums are of the parts inside the window, so disjoint windows add up to the
whole.
"""
grain = ["trace_id", "class", "instance"]
requires = { schema = ">=1", queries = ["module_time@2"], rows = ["whole_python_call"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "class", "instance", "n_instances", "n_calls", "self_ns",
  "total_ns", "median_ns", "self_device_ns", "total_device_ns", "self_backward_device_ns",
  "total_backward_device_ns",
]

[param.by_instance]
type = "BOOLEAN"
default = false
help = "Return one row per instance instead of one per class"

[column]
class.help = "Class of the module"
n_instances.help = "Number of instances of the class"
n_calls.help = "Number of calls"
self_ns.help = "Sum of the self times of the calls, excluding nested module calls"
total_ns.help = "Sum of the host times"
median_ns.help = "Median host time of a call; of an even number the mean of the middle two"
self_device_ns.help = "Device self time of forward"
total_device_ns.help = "Device time of forward"

[column.instance]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Module name as recorded, class and number; NULL unless by_instance"

[changes]
1 = "first version"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT *, CASE WHEN $by_instance::BOOLEAN THEN instance END AS shown
  FROM module_time()
),
ancestor AS (
  SELECT slice_id, class, shown, above_id
  FROM call
  WHERE above_id IS NOT NULL
  UNION ALL
  SELECT c.slice_id, c.class, c.shown, a.above_id
  FROM ancestor AS c
  JOIN call AS a ON a.slice_id = c.above_id
  WHERE a.above_id IS NOT NULL
),
inner_call AS (
  SELECT DISTINCT c.slice_id
  FROM ancestor AS c
  JOIN call AS a
    ON a.slice_id = c.above_id AND a.class = c.class AND a.shown IS NOT DISTINCT FROM c.shown
),
figure AS (
  SELECT
    c.trace_id,
    c.class,
    c.shown,
    count(DISTINCT c.instance) AS n_instances,
    count(*) AS n_calls,
    sum(c.self_ns)::BIGINT AS self_ns,
    sum(CASE WHEN i.slice_id IS NULL THEN c.inside_ns ELSE 0 END)::BIGINT AS total_ns,
    median(c.dur_ns) AS median_ns,
    sum(c.self_device_ns)::BIGINT AS self_device_ns,
    sum(CASE WHEN i.slice_id IS NULL THEN c.device_ns ELSE 0 END)::BIGINT AS total_device_ns,
    sum(c.self_backward_device_ns)::BIGINT AS self_backward_device_ns,
    sum(CASE WHEN i.slice_id IS NULL THEN c.backward_device_ns ELSE 0 END)::BIGINT
      AS total_backward_device_ns
  FROM call AS c
  LEFT JOIN inner_call AS i ON i.slice_id = c.slice_id
  GROUP BY c.trace_id, c.class, c.shown
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.class,
  f.shown AS instance,
  f.n_instances,
  f.n_calls,
  f.self_ns,
  f.total_ns,
  f.median_ns,
  f.self_device_ns,
  f.total_device_ns,
  f.self_backward_device_ns,
  f.total_backward_device_ns
FROM figure AS f
JOIN trace AS t ON t.id = f.trace_id
ORDER BY
  t.run_id, t.rank, f.trace_id, f.self_device_ns + f.self_backward_device_ns DESC, f.self_ns DESC,
  f.class, f.shown
