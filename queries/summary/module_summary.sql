/* ---
name = "module_summary"
version = 1
title = "nn.Modules by class or instance: host time, and device time of forward and backward"
help = """
Own times are those without the module calls nested right in a call; what happens in a call that lies
in another of the same row counts once in the totals. Device time is that of the kernels, copies and
memsets launched in the forward call; backward device time that of the operators computing the
gradients of its operators. Durations of device work are added, so overlapping work counts twice.
Needs a recording with Python stacks of modules (with_stack or with_modules).
"""
grain = ["trace_id", "class", "instance"]
portable = false
requires = { schema = ">=1", queries = ["module_time@1"] }

[param.by_instance]
type = "BOOLEAN"
default = false
help = "A row for each instance, instead of one for each class"

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
name = "class"
type = "VARCHAR"
unit = "text"
help = "Class of the module"

[[column]]
name = "instance"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The module as the profiler names it, class and number; NULL unless by_instance"

[[column]]
name = "n_instances"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Instances of the class in the row"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times without module calls right below"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median host time of a call; between the two middle ones of an even number"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of forward, own"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of forward"

[[column]]
name = "self_backward_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of backward, own"

[[column]]
name = "total_backward_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of backward"

[changes]
1 = "first version"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT *, CASE WHEN $by_instance::BOOLEAN THEN instance END AS shown
  FROM module_time()
),
climb AS (
  SELECT slice_id, class, shown, above_id
  FROM call
  WHERE above_id IS NOT NULL
  UNION ALL
  SELECT c.slice_id, c.class, c.shown, a.above_id
  FROM climb AS c
  JOIN call AS a ON a.slice_id = c.above_id
  WHERE a.above_id IS NOT NULL
),
inner_call AS (
  SELECT DISTINCT c.slice_id
  FROM climb AS c
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
    sum(CASE WHEN i.slice_id IS NULL THEN c.dur_ns ELSE 0 END)::BIGINT AS total_ns,
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
