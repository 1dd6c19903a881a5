/* ---
name = "exposed_communication_over_time"
version = 2
title = "Communication and its exposed part per device, by time bucket"
help = """
Communication is exposed while a communication kernel runs and no compute kernel runs on the device.
Buckets start at multiples of bucket_ns on the time axis of slice.ts and cover the span of the
device without gaps. The first and last bucket count only the part inside the span, so the times add
up to those of the device in `overlap`. Devices without communication have no row. Devices of very
long spans have wider buckets, as in utilization_over_time.
"""
grain = ["trace_id", "device_id", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["device_extent@1", "device_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "bucket_start_ns", "bucket_ns", "covered_ns",
  "communication_ns", "exposed_communication_ns", "exposed_share",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Bucket width"

[param.max_buckets]
type = "BIGINT"
unit = "count"
default = 100000
min = 1
help = "Number of buckets from which a device gets wider buckets"

[column]
bucket_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Width of the bucket" }
covered_ns.help = "Part of the bucket inside the span of the device"
exposed_share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "exposed_communication_ns / covered_ns" }

[changes]
2 = "all communication that begins at one time counts"
1 = "first version"
--- */
WITH communication AS MATERIALIZED (
  SELECT trace_id, device_id, start_ns, end_ns
  FROM device_op()
  WHERE end_ns > start_ns
    AND class = 'communication'
),
-- Numbers instead of two columns: what follows sorts all kernels.
numbered_device AS MATERIALIZED (
  SELECT *, row_number() OVER ()::INTEGER AS device_n
  FROM (SELECT DISTINCT trace_id, device_id FROM communication)
),
extent AS (
  SELECT p.device_n, e.trace_id, e.device_id, e.start_ns, e.end_ns
  FROM device_extent() AS e
  JOIN numbered_device AS p
    ON p.trace_id = e.trace_id AND p.device_id IS NOT DISTINCT FROM e.device_id
  WHERE e.end_ns > e.start_ns
),
communication_reach AS (
  SELECT
    p.device_n,
    c.start_ns,
    max(c.end_ns) OVER (PARTITION BY p.device_n ORDER BY c.start_ns) AS reach_ns
  FROM communication AS c
  JOIN numbered_device AS p
    ON p.trace_id = c.trace_id AND p.device_id IS NOT DISTINCT FROM c.device_id
),
-- Other kernels run while nothing is communicated.
op AS MATERIALIZED (
  SELECT p.device_n, true AS is_communication, c.start_ns, c.end_ns
  FROM communication AS c
  JOIN numbered_device AS p
    ON p.trace_id = c.trace_id AND p.device_id IS NOT DISTINCT FROM c.device_id
  UNION ALL
  SELECT k.device_n, false, k.start_ns, k.end_ns
  FROM (
    SELECT p.device_n, d.start_ns, d.end_ns
    FROM device_op() AS d
    JOIN numbered_device AS p
      ON p.trace_id = d.trace_id AND p.device_id IS NOT DISTINCT FROM d.device_id
    WHERE d.end_ns > d.start_ns
      AND d.class = 'compute'
  ) AS k
  ASOF JOIN communication_reach AS c ON c.device_n = k.device_n AND k.end_ns > c.start_ns
  WHERE c.reach_ns > k.start_ns
),
sized AS (
  SELECT
    *,
    ((end_ns - start_ns) // $bucket_ns::BIGINT // $max_buckets::BIGINT + 1) * $bucket_ns::BIGINT
      AS bucket_ns
  FROM extent
),
span AS (
  -- The remainder of a negative time is negative; the second % makes buckets start below the time.
  SELECT *, start_ns - (start_ns % bucket_ns + bucket_ns) % bucket_ns AS first_ns
  FROM sized
),
-- Changes of the numbers of running kernels of both classes, one row per instant.
change AS (
  SELECT
    device_n,
    ts_ns,
    sum(CASE WHEN NOT is_communication THEN change ELSE 0 END) AS compute_change,
    sum(CASE WHEN is_communication THEN change ELSE 0 END) AS communication_change
  FROM (
    SELECT device_n, is_communication, start_ns AS ts_ns, 1 AS change FROM op
    UNION ALL
    SELECT device_n, is_communication, end_ns, -1 FROM op
  )
  GROUP BY device_n, ts_ns
),
running AS (
  SELECT
    device_n,
    ts_ns AS start_ns,
    lead(ts_ns) OVER in_order AS end_ns,
    sum(compute_change) OVER in_order AS n_compute,
    sum(communication_change) OVER in_order AS n_communication
  FROM change
  WINDOW in_order AS (PARTITION BY device_n ORDER BY ts_ns)
),
communicating AS (
  SELECT
    s.trace_id,
    s.device_id,
    r.start_ns,
    r.end_ns,
    r.n_compute = 0 AS is_exposed,
    s.bucket_ns,
    r.start_ns - (r.start_ns % s.bucket_ns + s.bucket_ns) % s.bucket_ns AS first_ns
  FROM running AS r
  JOIN span AS s ON s.device_n = r.device_n
  WHERE r.n_communication > 0
),
-- Few intervals last beyond the end of a bucket: only these are split.
piece AS (
  SELECT *, first_ns AS bucket_start_ns
  FROM communicating
  WHERE end_ns - first_ns <= bucket_ns
  UNION ALL
  SELECT *, unnest(range(first_ns, end_ns, bucket_ns)) AS bucket_start_ns
  FROM communicating
  WHERE end_ns - first_ns > bucket_ns
),
cut AS (
  SELECT
    *,
    least(end_ns, bucket_start_ns + bucket_ns) - greatest(start_ns, bucket_start_ns) AS inside_ns
  FROM piece
),
filled AS (
  SELECT
    trace_id,
    device_id,
    bucket_start_ns,
    sum(inside_ns)::BIGINT AS communication_ns,
    sum(CASE WHEN is_exposed THEN inside_ns ELSE 0 END)::BIGINT AS exposed_communication_ns
  FROM cut
  GROUP BY trace_id, device_id, bucket_start_ns
),
bucket AS (
  SELECT *, unnest(range(first_ns, end_ns, bucket_ns)) AS bucket_start_ns
  FROM span
),
covered AS (
  SELECT
    b.trace_id,
    b.device_id,
    b.bucket_start_ns,
    b.bucket_ns,
    least(b.end_ns, b.bucket_start_ns + b.bucket_ns) - greatest(b.start_ns, b.bucket_start_ns)
      AS covered_ns,
    coalesce(f.communication_ns, 0) AS communication_ns,
    coalesce(f.exposed_communication_ns, 0) AS exposed_communication_ns
  FROM bucket AS b
  LEFT JOIN filled AS f
    ON f.trace_id = b.trace_id
    AND f.device_id IS NOT DISTINCT FROM b.device_id
    AND f.bucket_start_ns = b.bucket_start_ns
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.device_id,
  d.ordinal AS device,
  c.bucket_start_ns,
  c.bucket_ns,
  c.covered_ns,
  c.communication_ns,
  c.exposed_communication_ns,
  c.exposed_communication_ns / c.covered_ns AS exposed_share
FROM covered AS c
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN device AS d ON d.id = c.device_id
ORDER BY t.run_id, t.rank, c.trace_id, d.ordinal, c.device_id, c.bucket_start_ns
