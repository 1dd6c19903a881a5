/* ---
name = "timeline_shade"
version = 1
title = "Slices omitted from a timeline of bounded size: count and busy time"
help = """
All slices that timeline_slice with the same max_slices does not return, summed in time buckets per
track and depth. Buckets start at multiples of bucket_ns on the time axis of slice.ts. A slice is
counted in the bucket where it starts; its time counts in every bucket it covers. Empty buckets have
no row.
"""
grain = ["track_id", "depth", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "track_id", "depth", "bucket_start_ns", "n_slices", "busy_ns",
  "busy_share", "category",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Bucket width"

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "Maximum number of slices to show over all tracks"

[column]
track_id.help = "Track of the slice"
depth = { type = "INTEGER", unit = "count", check = ">= 0", help = "Number of enclosing slices of the counted slices" }
n_slices.help = "Number of slices that start in the bucket"
busy_share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "busy_ns / bucket_ns" }
category.help = "Category with the longest time; of equals the first by name"

[column.busy_ns]
help = "Sum of the times of the slices in the bucket, at most its width, because slices at one depth of a track rarely overlap"

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
    -- The remainder of a negative time is negative; the second % makes buckets start below the
    -- time.
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
-- A slice has a part in the bucket it starts in and one in the bucket it ends in, and fills all
-- buckets in between. Of those only the first and the one after the last are stored, so the work
-- does not grow with the length of slices.
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
