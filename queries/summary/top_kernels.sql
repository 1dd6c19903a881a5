/* ---
name = "top_kernels"
version = 2
title = "Longest kernels of each class, with the rest in one row"
help = """
Kernels of one class on a device, by name, longest total first. Names beyond the first `top`, or
beyond those that together reach `coverage` of the time of the class, are combined into one row,
whose figures are over all its kernels, not over sums by name. Negative durations, including
unfinished ones, count as 0 ns. In a time window, sums are of the parts of the durations inside it,
so disjoint windows add up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "device_id", "class", "place"]
requires = { schema = ">=13", queries = ["work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "class", "place", "kernel_name",
  "kernel_category", "name", "is_folded", "n_names", "n_kernels", "total_ns", "class_share", "min_ns", "median_ns", "p90_ns", "p99_ns",
  "max_ns", "mean_ns", "stddev_ns",
]

[param.top]
type = "BIGINT"
unit = "count"
default = 10
min = 1
help = "Number of names per class"

[param.coverage]
type = "DOUBLE"
unit = "ratio"
default = 1.0
min = 0
max = 1
help = "Share of the time of a class that its names must reach together"

[column]
kernel_name.help = "Short name, unique among the kernels of the scope; others for the combined row"
kernel_category.help = "Category by the name of the kernel, see work_category; NULL: the combined row"
class.help = "compute or communication"
name.help = "Kernel name; others for the combined row"
is_folded = { type = "BOOLEAN", unit = "bool", help = "Whether the row combines the remaining names" }
p90_ns.help = "90th percentile of the durations, interpolated"
p99_ns.help = "99th percentile of the durations, interpolated"
stddev_ns = { nullable = true, help = "Sample standard deviation (divisor n - 1); NULL for a single one" }

[column.place]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Position by time in its class, from 1; the combined row comes last"

[column.n_names]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of names in the row: 1, or the number of combined names"

[changes]
2 = "new columns: kernel_name, kernel_category"
1 = "first version"
--- */
WITH by_name AS (
  SELECT
    trace_id,
    device_id,
    class,
    name,
    count(*) AS n_kernels,
    sum(
      greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0)
    )::BIGINT AS total_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind = 'kernel'
  GROUP BY trace_id, device_id, class, name
),
placed AS (
  SELECT
    *,
    sum(total_ns) OVER (PARTITION BY trace_id, device_id, class) AS class_total_ns,
    sum(total_ns) OVER earlier - total_ns AS before_ns,
    row_number() OVER earlier AS own_place
  FROM by_name
  WINDOW earlier AS (
    PARTITION BY trace_id, device_id, class
    ORDER BY total_ns DESC, n_kernels DESC, name
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
),
-- The first name is kept even if it alone covers the requested share. Kept names come first, so the
-- combined ones take the position after the last of them.
kept AS (
  SELECT
    *,
    own_place = 1
    OR (
      own_place <= $top::BIGINT
      AND before_ns < $coverage::DOUBLE * class_total_ns
    ) AS is_kept
  FROM placed
),
folded AS (
  SELECT
    trace_id,
    device_id,
    class,
    name,
    class_total_ns,
    is_kept,
    CASE
      WHEN is_kept THEN own_place
      ELSE 1 + count(CASE WHEN is_kept THEN 1 END) OVER (PARTITION BY trace_id, device_id, class)
    END AS place
  FROM kept
),
measured AS (
  SELECT
    f.trace_id,
    f.device_id,
    f.class,
    f.place,
    CASE WHEN bool_and(f.is_kept) THEN any_value(f.name) ELSE 'others' END AS name,
    NOT bool_and(f.is_kept) AS is_folded,
    greatest(count(DISTINCT f.name), 1) AS n_names,
    any_value(f.class_total_ns) AS class_total_ns,
    count(*) AS n_kernels,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS total_ns,
    sum(greatest(g.dur, 0))::BIGINT AS all_ns,
    min(greatest(g.dur, 0)) AS min_ns,
    quantile_cont(greatest(g.dur, 0), [0.5, 0.9, 0.99]) AS quantiles_ns,
    max(greatest(g.dur, 0)) AS max_ns,
    stddev_samp(greatest(g.dur, 0)) AS stddev_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN folded AS f
    ON f.trace_id = g.trace_id
    AND f.device_id IS NOT DISTINCT FROM g.device_id
    AND f.class = g.class
    AND f.name IS NOT DISTINCT FROM g.name
  WHERE g.kind = 'kernel'
  GROUP BY f.trace_id, f.device_id, f.class, f.place
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.class,
  a.place,
  CASE WHEN a.is_folded THEN 'others' ELSE c.short_name END AS kernel_name,
  CASE WHEN NOT a.is_folded THEN coalesce(c.category, 'other') END AS kernel_category,
  a.name,
  a.is_folded,
  a.n_names,
  a.n_kernels,
  a.total_ns,
  a.total_ns / nullif(a.class_total_ns, 0) AS class_share,
  a.min_ns,
  a.quantiles_ns[1] AS median_ns,
  a.quantiles_ns[2] AS p90_ns,
  a.quantiles_ns[3] AS p99_ns,
  a.max_ns,
  a.all_ns / a.n_kernels AS mean_ns,
  a.stddev_ns
FROM measured AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN work_category() AS c
  ON NOT a.is_folded AND c.kind = 'kernel' AND c.name = a.name
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.class DESC, a.place
