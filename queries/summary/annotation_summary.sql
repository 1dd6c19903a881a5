/* ---
name = "annotation_summary"
version = 1
title = "Host annotations by name: host time and device time"
help = """
Ordered by time, longest first. self_ns is the time of an annotation minus the annotations directly
below it. Totals count an annotation nested in another of the same name once, in the outer one.
Steps share one row, with their number replaced by *. An annotation caused the work launched in it
on its thread, also through nested annotations; a step caused the work launched during it by any
thread of its process. device_ns sums durations, so overlapping work counts twice; busy_ns counts it
once. Negative durations, including those of unfinished slices, count as 0 ns. In a time window an
annotation counts if it runs in it or its device work does: sums are of the parts inside the window,
so disjoint windows add up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "name", "is_step"]
requires = { schema = ">=1", queries = ["annotation_above@1", "annotation_work@2", "device_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "name", "is_step", "n_calls", "self_ns", "total_ns", "min_ns",
  "max_ns", "mean_ns", "median_ns", "p90_ns", "p99_ns", "n_device_ops", "self_device_ns",
  "total_device_ns", "busy_ns",
]

[column]
name.help = "Annotation name; for steps without their number"
is_step = { type = "BOOLEAN", unit = "bool", help = "Whether the row covers the steps" }
n_calls.help = "Number of annotations"
self_ns.help = "Sum of the self times, excluding nested annotations"
total_ns.help = "Sum of the host times of annotations not nested in another of the same name"
mean_ns.help = "Mean over all annotations"
median_ns.help = "Median over all annotations; of an even number the mean of the middle two"
p90_ns.help = "90th percentile over all annotations, interpolated"
p99_ns.help = "99th percentile over all annotations, interpolated"
n_device_ops.help = "Number of kernels, copies and memsets caused, each once"
self_device_ns.help = "Sum of the durations of the work launched outside nested annotations"
busy_ns.help = "Time in which any of the device work runs, summed over devices"

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
    greatest(a.dur, 0) AS dur_ns,
    greatest(a.ts, w.from_ns) AS inside_start_ns,
    least(a.ts + greatest(a.dur, 0), w.to_ns) AS inside_end_ns,
    a.ts < w.to_ns AND (a.ts >= w.from_ns OR a.ts + a.dur > w.from_ns OR a.dur = -1) AS is_inside
  FROM whole_annotation AS a
  CROSS JOIN time_window AS w
  LEFT JOIN whole_step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host'
),
-- Names are replaced by numbers, because there is much more device work than annotations.
named AS MATERIALIZED (
  SELECT
    l.*,
    dense_rank() OVER (ORDER BY l.trace_id, l.name, l.is_step)::INTEGER AS name_id,
    u.above_id
  FROM labelled AS l
  LEFT JOIN annotation_above() AS u ON u.slice_id = l.slice_id
),
-- Of the annotations directly below, the time beyond those before them.
below AS (
  SELECT
    above_id AS slice_id,
    sum(greatest(inside_end_ns - greatest(inside_start_ns, coalesce(reach_ns, inside_start_ns)), 0))
      ::BIGINT AS below_ns
  FROM (
    SELECT
      *,
      max(inside_end_ns) OVER (
        PARTITION BY above_id
        ORDER BY inside_start_ns, inside_end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reach_ns
    FROM named
    WHERE above_id IS NOT NULL
  )
  GROUP BY above_id
),
caused_by AS (
  SELECT w.annotation_id, w.is_self, d.device_id, d.start_ns, d.end_ns
  FROM device_op() AS d
  JOIN annotation_work() AS w ON w.slice_id = d.slice_id
),
-- Climbs the enclosing annotations to find those of the same name.
ancestor AS (
  SELECT slice_id, name_id, above_id
  FROM named
  WHERE above_id IS NOT NULL
  UNION ALL
  SELECT c.slice_id, c.name_id, n.above_id
  FROM ancestor AS c
  JOIN named AS n ON n.slice_id = c.above_id
  WHERE n.above_id IS NOT NULL
),
inner_one AS (
  SELECT DISTINCT c.slice_id
  FROM ancestor AS c
  JOIN named AS n ON n.slice_id = c.above_id AND n.name_id = c.name_id
),
host AS (
  SELECT
    n.name_id,
    any_value(n.trace_id) AS trace_id,
    any_value(n.name) AS name,
    any_value(n.is_step) AS is_step,
    count(*) AS n_calls,
    sum(
      greatest(n.inside_end_ns - n.inside_start_ns, 0) - coalesce(b.below_ns, 0)
    )::BIGINT AS self_ns,
    sum(
      CASE
        WHEN i.slice_id IS NULL THEN greatest(n.inside_end_ns - n.inside_start_ns, 0)
        ELSE 0
      END
    )::BIGINT AS total_ns,
    sum(n.dur_ns)::BIGINT AS all_ns,
    min(n.dur_ns) AS min_ns,
    max(n.dur_ns) AS max_ns,
    quantile_cont(n.dur_ns, [0.5, 0.9, 0.99]) AS percentiles_ns
  FROM named AS n
  LEFT JOIN below AS b ON b.slice_id = n.slice_id
  LEFT JOIN inner_one AS i ON i.slice_id = n.slice_id
  WHERE n.is_inside
    OR n.slice_id IN (SELECT annotation_id FROM caused_by)
  GROUP BY n.name_id
),
work AS (
  SELECT
    n.name_id,
    w.is_self,
    -- Work caused by a call nested in another of its name counts for the outer one.
    i.slice_id IS NULL AS is_outer,
    w.device_id,
    w.start_ns,
    w.end_ns
  FROM caused_by AS w
  JOIN named AS n ON n.slice_id = w.annotation_id
  LEFT JOIN inner_one AS i ON i.slice_id = w.annotation_id
  WHERE w.is_self OR i.slice_id IS NULL
),
-- The time each piece adds to that covered by the pieces before it. (Few columns: all work is sorted.)
gain AS (
  SELECT
    name_id,
    is_self,
    is_outer,
    end_ns - start_ns AS dur_ns,
    greatest(
      end_ns - greatest(
        start_ns,
        max(CASE WHEN is_outer THEN end_ns END) OVER (
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
