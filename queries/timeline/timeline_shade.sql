/* ---
name = "timeline_shade"
version = 1
title = "Where a timeline of bounded size leaves slices out: how many, and how busy they are"
help = """
All slices that timeline_slice with the same max_slices does not show, summed in buckets of time for
each track and depth. Buckets begin at multiples of bucket_ns on the scale of slice.ts. A slice is
counted where it starts; its time is counted where it passes. Buckets without any have no row.
"""
grain = ["track_id", "depth", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }
portable = false

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Width of a bucket"

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "How many slices are shown one by one, over all tracks"

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
help = "The rank, if known"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "Where it is"

[[column]]
name = "depth"
type = "INTEGER"
unit = "count"
check = ">= 0"
help = "Slices of the track that contain those counted here"

[[column]]
name = "bucket_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the bucket, on the scale of slice.ts"

[[column]]
name = "n_slices"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Slices that start in the bucket"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times of single slices in the bucket, at most its width; on one depth of a track slices seldom overlap"

[[column]]
name = "busy_share"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "busy_ns / bucket_ns"

[[column]]
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The category that takes most of the time; of equals the first by name"

[changes]
1 = "first version"
--- */
WITH hidden AS (
  SELECT
    s.trace_id,
    s.track_id,
    s.depth,
    s.category,
    s.ts AS start_ns,
    s.ts + greatest(s.dur, 0) AS end_ns,
    -- Remainders of negative times are negative: the second % makes them count from below.
    s.ts - (s.ts % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT AS first_ns
  FROM slice AS s
  JOIN timeline_cutoff(p_max_slices := $max_slices::BIGINT) AS c
    ON c.track_id = s.track_id
    AND (
      greatest(s.dur, 0) < c.last_dur_ns
      OR (greatest(s.dur, 0) = c.last_dur_ns AND s.id > c.last_slice_id)
    )
),
crossing AS (
  SELECT
    *,
    end_ns - (end_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT AS last_ns
  FROM hidden
  WHERE end_ns > first_ns + $bucket_ns::BIGINT
),
-- A slice has a part in the bucket it starts in and one in the bucket it ends in. Between them it
-- fills buckets whole: of those only the first and the one behind the last are written down, so
-- that the work does not grow with the length of slices.
part AS (
  SELECT
    trace_id,
    track_id,
    depth,
    category,
    first_ns AS bucket_start_ns,
    count(*) AS n_slices,
    sum(least(end_ns, first_ns + $bucket_ns::BIGINT) - start_ns)::HUGEINT AS busy_ns
  FROM hidden
  GROUP BY trace_id, track_id, depth, category, first_ns
  UNION ALL
  SELECT trace_id, track_id, depth, category, last_ns, 0, sum(end_ns - last_ns)::HUGEINT
  FROM crossing
  WHERE end_ns > last_ns
  GROUP BY trace_id, track_id, depth, category, last_ns
),
change AS (
  SELECT trace_id, track_id, depth, category, first_ns + $bucket_ns::BIGINT AS at_ns, 1 AS n
  FROM crossing
  WHERE last_ns > first_ns + $bucket_ns::BIGINT
  UNION ALL
  SELECT trace_id, track_id, depth, category, last_ns, -1
  FROM crossing
  WHERE last_ns > first_ns + $bucket_ns::BIGINT
),
changed AS (
  SELECT trace_id, track_id, depth, category, at_ns, sum(n) AS n
  FROM change
  GROUP BY trace_id, track_id, depth, category, at_ns
),
filling AS (
  SELECT
    trace_id,
    track_id,
    depth,
    category,
    at_ns,
    lead(at_ns) OVER (PARTITION BY track_id, depth, category ORDER BY at_ns) AS until_ns,
    sum(n) OVER (
      PARTITION BY track_id, depth, category
      ORDER BY at_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM changed
),
whole AS (
  SELECT
    trace_id,
    track_id,
    depth,
    category,
    unnest(range(at_ns, until_ns, $bucket_ns::BIGINT)) AS bucket_start_ns,
    0 AS n_slices,
    n::HUGEINT * $bucket_ns::BIGINT AS busy_ns
  FROM filling
  WHERE n > 0
),
by_category AS (
  SELECT
    trace_id,
    track_id,
    depth,
    bucket_start_ns,
    category,
    sum(n_slices)::BIGINT AS n_slices,
    sum(busy_ns) AS busy_ns
  FROM (SELECT * FROM part UNION ALL SELECT * FROM whole)
  GROUP BY trace_id, track_id, depth, bucket_start_ns, category
),
ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY track_id, depth, bucket_start_ns
      ORDER BY busy_ns DESC, category NULLS LAST
    ) AS place
  FROM by_category
),
bucket AS (
  SELECT
    trace_id,
    track_id,
    depth,
    bucket_start_ns,
    sum(n_slices)::BIGINT AS n_slices,
    sum(busy_ns) AS busy_ns,
    max(category) FILTER (WHERE place = 1) AS category
  FROM ranked
  GROUP BY trace_id, track_id, depth, bucket_start_ns
)
SELECT
  t.run_id,
  b.trace_id,
  coalesce(p.rank, t.rank) AS rank,
  b.track_id,
  b.depth,
  b.bucket_start_ns,
  b.n_slices,
  least(b.busy_ns, $bucket_ns::BIGINT)::BIGINT AS busy_ns,
  least(b.busy_ns, $bucket_ns::BIGINT)::BIGINT / $bucket_ns::BIGINT AS busy_share,
  b.category
FROM bucket AS b
JOIN trace AS t ON t.id = b.trace_id
LEFT JOIN track AS k ON k.id = b.track_id
LEFT JOIN process AS p ON p.id = k.process_id
ORDER BY t.run_id, b.trace_id, b.track_id, b.depth, b.bucket_start_ns
