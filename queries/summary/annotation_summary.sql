/* ---
name = "annotation_summary"
version = 1
title = "Annotations on the host by name: host time, and the device time they caused; longest first"
help = """
self_ns is the time of an annotation without that of the annotations right below it. Totals count
what happens in an annotation that lies in another of the same name once, in the outer one. Steps are
one row, their number replaced by *. What an annotation caused is what was launched in it on its
thread, also through nested annotations; what a step caused is what any thread of its process
launched during it. device_ns adds durations, so overlapping work counts twice; busy_ns counts it
once. Lengths below 0, also of what never ended, count 0 ns.
"""
grain = ["trace_id", "name", "is_step"]
portable = false
requires = { schema = ">=1", queries = ["annotation_above@1", "annotation_work@1", "device_op@1"] }

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
help = "The annotation; of steps without their number"

[[column]]
name = "is_step"
type = "BOOLEAN"
unit = "bool"
help = "Whether the row is that of the steps"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was entered"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times without the annotations right below"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times of those that lie in no other of the name"

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
help = "Mean over all"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median over all; between the two middle ones of an even number"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "90th percentile over all, interpolated"

[[column]]
name = "p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99th percentile over all, interpolated"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets it caused, each once"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of those launched in no annotation nested in it"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of all of them"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which any of them runs, added over devices"

[changes]
1 = "first version"
--- */
WITH RECURSIVE labelled AS (
  SELECT
    a.slice_id,
    a.trace_id,
    CASE WHEN s.slice_id IS NULL THEN a.name ELSE concat(regexp_replace(a.name, '[0-9]+$', ''), '*')
    END AS name,
    s.slice_id IS NOT NULL AS is_step,
    greatest(a.dur, 0) AS dur_ns
  FROM annotation AS a
  LEFT JOIN step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host'
),
-- Numbers stand for names: there is much more device work than there are annotations.
named AS MATERIALIZED (
  SELECT
    l.*,
    min(l.slice_id) OVER (PARTITION BY l.trace_id, l.name, l.is_step) AS name_id,
    u.above_id
  FROM labelled AS l
  LEFT JOIN annotation_above() AS u ON u.slice_id = l.slice_id
),
below AS (
  SELECT above_id AS slice_id, sum(dur_ns)::BIGINT AS below_ns
  FROM named
  WHERE above_id IS NOT NULL
  GROUP BY above_id
),
-- Up the annotations above, to find those of the same name.
climb AS (
  SELECT slice_id, name_id, above_id
  FROM named
  WHERE above_id IS NOT NULL
  UNION ALL
  SELECT c.slice_id, c.name_id, n.above_id
  FROM climb AS c
  JOIN named AS n ON n.slice_id = c.above_id
  WHERE n.above_id IS NOT NULL
),
inner_one AS (
  SELECT DISTINCT c.slice_id
  FROM climb AS c
  JOIN named AS n ON n.slice_id = c.above_id AND n.name_id = c.name_id
),
host AS (
  SELECT
    n.name_id,
    any_value(n.trace_id) AS trace_id,
    any_value(n.name) AS name,
    any_value(n.is_step) AS is_step,
    count(*) AS n_calls,
    sum(greatest(n.dur_ns - coalesce(b.below_ns, 0), 0))::BIGINT AS self_ns,
    sum(CASE WHEN i.slice_id IS NULL THEN n.dur_ns ELSE 0 END)::BIGINT AS total_ns,
    sum(n.dur_ns)::BIGINT AS all_ns,
    min(n.dur_ns) AS min_ns,
    max(n.dur_ns) AS max_ns,
    quantile_cont(n.dur_ns, [0.5, 0.9, 0.99]) AS percentiles_ns
  FROM named AS n
  LEFT JOIN below AS b ON b.slice_id = n.slice_id
  LEFT JOIN inner_one AS i ON i.slice_id = n.slice_id
  GROUP BY n.name_id
),
work AS (
  SELECT
    n.name_id,
    w.is_self,
    d.device_id,
    d.start_ns,
    d.end_ns,
    -- What a call in another of its name caused is counted with that one.
    CASE WHEN i.slice_id IS NULL THEN d.end_ns END AS outer_end_ns
  FROM device_op() AS d
  JOIN annotation_work() AS w ON w.slice_id = d.slice_id
  JOIN named AS n ON n.slice_id = w.annotation_id
  LEFT JOIN inner_one AS i ON i.slice_id = w.annotation_id
  WHERE w.is_self OR i.slice_id IS NULL
),
-- What each piece adds to the time covered by those before it.
gain AS (
  SELECT
    name_id,
    is_self,
    outer_end_ns IS NOT NULL AS is_outer,
    end_ns - start_ns AS dur_ns,
    greatest(
      end_ns - greatest(
        start_ns,
        max(outer_end_ns) OVER (
          PARTITION BY name_id, device_id
          ORDER BY start_ns
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
      ),
      0
    ) AS gain_ns
  FROM work
),
caused AS (
  SELECT
    name_id,
    count(CASE WHEN is_outer THEN 1 END) AS n_device_ops,
    sum(CASE WHEN is_self THEN dur_ns END)::BIGINT AS self_device_ns,
    sum(CASE WHEN is_outer THEN dur_ns END)::BIGINT AS total_device_ns,
    sum(CASE WHEN is_outer THEN gain_ns END)::BIGINT AS busy_ns
  FROM gain
  GROUP BY name_id
)
SELECT
  t.run_id,
  h.trace_id,
  t.rank,
  h.name,
  h.is_step,
  h.n_calls,
  h.self_ns,
  h.total_ns,
  h.min_ns,
  h.max_ns,
  h.all_ns / h.n_calls AS mean_ns,
  h.percentiles_ns[1] AS median_ns,
  h.percentiles_ns[2] AS p90_ns,
  h.percentiles_ns[3] AS p99_ns,
  coalesce(c.n_device_ops, 0) AS n_device_ops,
  coalesce(c.self_device_ns, 0) AS self_device_ns,
  coalesce(c.total_device_ns, 0) AS total_device_ns,
  coalesce(c.busy_ns, 0) AS busy_ns
FROM host AS h
JOIN trace AS t ON t.id = h.trace_id
LEFT JOIN caused AS c ON c.name_id = h.name_id
ORDER BY t.run_id, t.rank, h.trace_id, h.total_ns DESC, h.self_ns DESC, h.name, h.is_step
