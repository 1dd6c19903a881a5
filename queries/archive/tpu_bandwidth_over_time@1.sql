/* ---
name = "tpu_bandwidth_over_time"
version = 1
title = "DDR, L2 and local-memory traffic of each TPU engine in each bucket of time"
help = """
The bytes of a command are spread evenly over its time. Buckets begin at multiples of bucket_ns on the
scale of slice.ts; those without traffic have no row. The peak is that of one core.
"""
grain = ["trace_id", "engine", "core", "port", "memory", "bucket_start_ns"]
requires = { schema = ">=9", queries = ["tpu_chip@1", "tpu_traffic@1", "tpu_work@1"] }
portable = false

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 1
help = "Width of a bucket"

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
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "memory"
type = "VARCHAR"
unit = "text"
help = "DDR, L2M or LMEM"

[[column]]
name = "bucket_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the bucket, on the scale of slice.ts"

[[column]]
name = "read_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Read from it"

[[column]]
name = "write_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Written to it"

[[column]]
name = "read_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "read_bytes / bucket_ns"

[[column]]
name = "write_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "write_bytes / bucket_ns"

[[column]]
name = "total_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "Both"

[[column]]
name = "peak_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "Peak of the memory for one core; NULL: not known, or CDMA"

[[column]]
name = "peak_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "total_bytes_per_s / peak_bytes_per_s"

[changes]
1 = "first version"
--- */
WITH moved AS (
  SELECT
    w.trace_id,
    w.engine,
    w.core,
    w.port,
    w.start_ns,
    -- what has no length still moved its bytes: in its first ns
    greatest(w.end_ns, w.start_ns + 1) AS end_ns,
    -- Remainders of negative times are negative: the second % makes them count from below.
    w.start_ns - (w.start_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns,
    m.ddr_read_bytes,
    m.ddr_write_bytes,
    m.l2_read_bytes,
    m.l2_write_bytes,
    m.lmem_read_bytes,
    m.lmem_write_bytes
  FROM tpu_traffic() AS m
  JOIN tpu_work() AS w ON w.slice_id = m.slice_id
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
    CASE
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
