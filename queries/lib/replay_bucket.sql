/* ---
name = "replay_bucket"
version = 2
title = "Buckets into which gradients of a replay would be put, with another size of buckets"
help = """
A bucket closes with the first gradient that reaches the size. Its reduction takes as long as its bytes at
the rate at which the recorded reductions of its trace moved theirs while any was in flight; if earlier
what-ifs changed how long these take, so much shorter or longer. With
recorded_bits_per_s it takes as long as its bytes need on a link of that rate, and to compute in proportion
to the recorded ones, if they use the link one after another (replay_link_use).
"""
grain = ["run_id", "iteration", "bucket"]
requires = { schema = ">=17", queries = ["replay_gradient@1", "replay_link_use@1", "replay_node@3"] }
scale = "run"
columns = ["run_id", "iteration", "bucket", "first_place", "last_place", "bytes", "dur_ns", "node_id"]

[param.bytes]
type = "BIGINT"
unit = "byte"
min = 1
help = "Size at which a bucket closes"

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the recorded links; 0: not known"

[column]
iteration = { type = "BIGINT", unit = "count", help = "Iteration (replay_gradient)" }
bucket = { type = "BIGINT", unit = "count", help = "Bucket; counts from 0" }
first_place = { type = "BIGINT", unit = "count", help = "Place of its first gradient" }
last_place = { type = "BIGINT", unit = "count", help = "Place of its last gradient" }
bytes = { nullable = false, help = "Size of its gradients" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of its reduction" }
node_id = { type = "BIGINT", unit = "id", help = "Node of its reduction" }

[changes]
2 = "new parameter recorded_bits_per_s"
1 = "first version"
--- */
WITH RECURSIVE gradient AS MATERIALIZED (
  SELECT run_id, iteration, place, any_value(bytes) AS bytes
  FROM replay_gradient()
  GROUP BY run_id, iteration, place
),
filled AS (
  SELECT run_id, iteration, place, bytes, 0::BIGINT AS bucket, bytes AS filled_bytes
  FROM gradient
  WHERE place = 0
  UNION ALL
  SELECT
    g.run_id, g.iteration, g.place, g.bytes,
    CASE WHEN f.filled_bytes >= $bytes::BIGINT THEN f.bucket + 1 ELSE f.bucket END,
    CASE WHEN f.filled_bytes >= $bytes::BIGINT THEN 0 ELSE f.filled_bytes END + g.bytes
  FROM filled AS f
  JOIN gradient AS g ON g.run_id = f.run_id AND g.iteration = f.iteration AND g.place = f.place + 1
),
transfer AS (
  SELECT
    run_id, trace_id, bytes, dur_ns, measured_start_ns AS start_ns, measured_end_ns AS end_ns,
    max(measured_end_ns) OVER (
      PARTITION BY run_id, trace_id ORDER BY measured_start_ns, node_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM replay_node()
  WHERE kind = 'collective' AND bytes IS NOT NULL
),
rate AS (
  SELECT
    run_id,
    sum(greatest(end_ns - greatest(start_ns, coalesce(reach_ns, start_ns)), 0)) / sum(bytes)
      * coalesce(sum(dur_ns) / nullif(sum(end_ns - start_ns), 0), 1) AS ns_per_byte
  FROM transfer
  GROUP BY run_id
),
-- what a byte needs on the link, and what it takes besides
link_rate AS (
  SELECT
    u.run_id,
    (sum(u.need_ns) + sum(n.dur_ns - u.use_ns)) / sum(u.bytes) AS ns_per_byte
  FROM replay_link_use(p_recorded_bits_per_s := $recorded_bits_per_s::DOUBLE) AS u
  JOIN replay_node() AS n ON n.run_id = u.run_id AND n.node_id = u.node_id
  WHERE u.is_serial
  GROUP BY u.run_id
),
existing AS (
  SELECT run_id, count(*) FILTER (WHERE kind <> 'bucket') AS n_nodes FROM replay_node() GROUP BY run_id
),
bucket AS (
  SELECT
    run_id, iteration, bucket, min(place) AS first_place, max(place) AS last_place, sum(bytes)::BIGINT AS bytes
  FROM filled
  GROUP BY run_id, iteration, bucket
)
SELECT
  b.run_id,
  b.iteration,
  b.bucket,
  b.first_place,
  b.last_place,
  b.bytes,
  b.bytes * coalesce(l.ns_per_byte, r.ns_per_byte) AS dur_ns,
  e.n_nodes + row_number() OVER (PARTITION BY b.run_id ORDER BY b.iteration, b.bucket) - 1 AS node_id
FROM bucket AS b
JOIN rate AS r ON r.run_id = b.run_id
JOIN existing AS e ON e.run_id = b.run_id
LEFT JOIN link_rate AS l ON l.run_id = b.run_id
ORDER BY b.run_id, b.iteration, b.bucket
