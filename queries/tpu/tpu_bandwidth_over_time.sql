/* ---
name = "tpu_bandwidth_over_time"
version = 3
title = "DDR, L2 and local-memory traffic of TPU engines or a whole TPU, by time bucket"
help = """
The bytes of a command are spread evenly over its duration. Buckets start at multiples of bucket_ns
on the time axis of slice.ts; those without traffic have no row. The peak is that of one core; with
by_engine=false all engines, including CDMA, are combined, and the peak is that of the chip: the
peak of one core times the number of cores. A time window contains the commands that run in it,
whole.
"""
grain = ["trace_id", "engine", "core", "port", "memory", "bucket_start_ns"]
requires = { schema = ">=9", queries = ["tpu_chip@1", "tpu_traffic@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "memory", "bucket_start_ns", "read_bytes",
  "write_bytes", "read_bytes_per_s", "write_bytes_per_s", "total_bytes_per_s", "peak_bytes_per_s",
  "peak_share",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 1
help = "Bucket width"

[param.by_engine]
type = "BOOLEAN"
default = true
help = "Return one row per engine; false: one row for the whole chip"

[changes]
3 = "new parameter by_engine"
2 = "same figures, reads less"
1 = "first version"
--- */
WITH moved AS (
  SELECT
    m.trace_id,
    CASE WHEN $by_engine::BOOLEAN THEN m.engine ELSE 'all' END AS engine,
    CASE WHEN $by_engine::BOOLEAN THEN m.core END AS core,
    CASE WHEN $by_engine::BOOLEAN THEN m.port END AS port,
    m.start_ns,
    -- A transfer of duration 0 moves its bytes in its first ns.
    greatest(m.end_ns, m.start_ns + 1) AS end_ns,
    -- The remainder of a negative time is negative; the second % makes buckets start below the
    -- time.
    m.start_ns - (m.start_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns,
    m.ddr_read_bytes,
    m.ddr_write_bytes,
    m.l2_read_bytes,
    m.l2_write_bytes,
    m.lmem_read_bytes,
    m.lmem_write_bytes
  FROM tpu_traffic() AS m
  WHERE
    m.ddr_read_bytes + m.ddr_write_bytes + m.l2_read_bytes + m.l2_write_bytes
      + m.lmem_read_bytes + m.lmem_write_bytes > 0
),
piece AS (
  SELECT *, first_ns AS bucket_start_ns, 1.0::DOUBLE AS share
  FROM moved
  WHERE end_ns <= first_ns + $bucket_ns::BIGINT
  UNION ALL
  SELECT
    *,
    (
      least(end_ns, bucket_start_ns + $bucket_ns::BIGINT) - greatest(start_ns, bucket_start_ns)
    ) / (end_ns - start_ns)
  FROM (
    SELECT *, unnest(range(first_ns, end_ns, $bucket_ns::BIGINT)) AS bucket_start_ns
    FROM moved
    WHERE end_ns > first_ns + $bucket_ns::BIGINT
  )
),
filled AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    bucket_start_ns,
    sum(ddr_read_bytes * share) AS ddr_read_bytes,
    sum(ddr_write_bytes * share) AS ddr_write_bytes,
    sum(l2_read_bytes * share) AS l2_read_bytes,
    sum(l2_write_bytes * share) AS l2_write_bytes,
    sum(lmem_read_bytes * share) AS lmem_read_bytes,
    sum(lmem_write_bytes * share) AS lmem_write_bytes
  FROM piece
  GROUP BY trace_id, engine, core, port, bucket_start_ns
),
long AS (
  SELECT trace_id, engine, core, port, bucket_start_ns, 'DDR' AS memory,
    ddr_read_bytes AS read_bytes, ddr_write_bytes AS write_bytes
  FROM filled
  UNION ALL
  SELECT trace_id, engine, core, port, bucket_start_ns, 'L2M', l2_read_bytes, l2_write_bytes
  FROM filled
  UNION ALL
  SELECT trace_id, engine, core, port, bucket_start_ns, 'LMEM', lmem_read_bytes, lmem_write_bytes
  FROM filled
),
rated AS (
  SELECT
    l.*,
    CASE WHEN $by_engine::BOOLEAN THEN 1 ELSE h.n_cores END * CASE
      WHEN l.engine = 'CDMA' THEN NULL
      WHEN l.memory = 'DDR' THEN h.ddr_bytes_per_s
      WHEN l.memory = 'L2M' THEN h.l2_bytes_per_s
    END AS peak_bytes_per_s
  FROM long AS l
  LEFT JOIN tpu_chip() AS h ON h.trace_id = l.trace_id
  WHERE l.read_bytes + l.write_bytes > 0
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.engine,
  r.core,
  r.port,
  r.memory,
  r.bucket_start_ns,
  r.read_bytes,
  r.write_bytes,
  r.read_bytes * 1e9 / $bucket_ns::BIGINT AS read_bytes_per_s,
  r.write_bytes * 1e9 / $bucket_ns::BIGINT AS write_bytes_per_s,
  (r.read_bytes + r.write_bytes) * 1e9 / $bucket_ns::BIGINT AS total_bytes_per_s,
  r.peak_bytes_per_s,
  (r.read_bytes + r.write_bytes) * 1e9 / $bucket_ns::BIGINT / nullif(r.peak_bytes_per_s, 0)
    AS peak_share
FROM rated AS r
JOIN trace AS t ON t.id = r.trace_id
ORDER BY t.run_id, t.rank, r.trace_id, r.core, r.port, r.engine, r.memory, r.bucket_start_ns
