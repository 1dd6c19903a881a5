/* ---
name = "top_kernels"
version = 1
title = "The kernels each class spends its time in, the rest as one row"
help = """
A device's kernels of one class, by name, those of most time first. What lies beyond the first `top`
names, or beyond those that together reach `coverage` of the time of the class, is folded into one
row. Its figures are of all its kernels together, not of sums by name. A kernel of negative length,
also one that never ended, counts 0 ns.
"""
grain = ["trace_id", "device_id", "class", "place"]
portable = false

[param.top]
type = "BIGINT"
unit = "count"
default = 10
min = 1
help = "So many names of each class"

[param.coverage]
type = "DOUBLE"
unit = "ratio"
default = 1.0
min = 0
max = 1
help = "Only as many names as reach this share of the time of their class"

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
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
help = "compute or communication"

[[column]]
name = "place"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "1 for the name with most time in its class; the folded row comes last"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel; others for the folded row"

[[column]]
name = "is_folded"
type = "BOOLEAN"
unit = "bool"
help = "Whether the row holds all other names"

[[column]]
name = "n_names"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Names in the row: 1, or as many as are folded"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often they ran"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "class_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of that of all kernels of the class on the device; NULL when that is 0"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Nine of ten are not longer; between two neighbours, interpolated"

[[column]]
name = "p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99 of 100 are not longer, interpolated likewise"

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
name = "stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample (divided by n - 1); NULL for a single one"

[changes]
1 = "first version"
--- */
WITH by_name AS (
  SELECT
    trace_id,
    device_id,
    class,
    name,
    count(*) AS n_kernels,
    sum(greatest(dur, 0))::BIGINT AS total_ns
  FROM gpu_op
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
-- The first name is kept even where it alone covers all that is asked for. Kept names come first,
-- so the folded ones take the place behind the last of them.
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
    sum(greatest(g.dur, 0))::BIGINT AS total_ns,
    min(greatest(g.dur, 0)) AS min_ns,
    quantile_cont(greatest(g.dur, 0), [0.5, 0.9, 0.99]) AS quantiles_ns,
    max(greatest(g.dur, 0)) AS max_ns,
    stddev_samp(greatest(g.dur, 0)) AS stddev_ns
  FROM gpu_op AS g
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
  a.total_ns / a.n_kernels AS mean_ns,
  a.stddev_ns
FROM measured AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.class DESC, a.place
