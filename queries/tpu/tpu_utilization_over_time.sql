/* ---
name = "tpu_utilization_over_time"
version = 2
title = "Working share of each TPU engine in each bucket of time"
help = """
Buckets begin at multiples of bucket_ns on the scale of slice.ts and cover the span of the capture. Of the
first and the last bucket only the part inside the span counts, so work_ns and covered_ns add up to
those of tpu_engine_summary. Every engine has a row in every bucket.
"""
grain = ["trace_id", "engine", "core", "port", "bucket_start_ns"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }
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
name = "bucket_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the bucket, on the scale of slice.ts"

[[column]]
name = "covered_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "The part of the bucket inside the span of the capture"

[[column]]
name = "work_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A command of the engine computes or moves data"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "work_ns / covered_ns"

[changes]
2 = "reads less; the same figures"
1 = "first version"
--- */
WITH step AS MATERIALIZED (
  SELECT * FROM tpu_engine_step()
),
stretch AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    work_from_ns,
    end_ns,
    -- Remainders of negative times are negative: the second % makes them count from below.
    work_from_ns - (work_from_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns
  FROM step
  WHERE work_ns > 0
),
-- Nearly all lie in one bucket; the others are cut.
piece AS (
  SELECT trace_id, engine, core, port, first_ns AS bucket_start_ns, end_ns - work_from_ns AS work_ns
  FROM stretch
  WHERE end_ns <= first_ns + $bucket_ns::BIGINT
  UNION ALL
  SELECT
    trace_id,
    engine,
    core,
    port,
    bucket_start_ns,
    least(end_ns, bucket_start_ns + $bucket_ns::BIGINT) - greatest(work_from_ns, bucket_start_ns)
  FROM (
    SELECT *, unnest(range(first_ns, end_ns, $bucket_ns::BIGINT)) AS bucket_start_ns
    FROM stretch
    WHERE end_ns > first_ns + $bucket_ns::BIGINT
  )
),
filled AS (
  SELECT trace_id, engine, core, port, bucket_start_ns, sum(work_ns)::BIGINT AS work_ns
  FROM piece
  GROUP BY trace_id, engine, core, port, bucket_start_ns
),
span AS (
  SELECT trace_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM step
  GROUP BY trace_id
),
bucket AS (
  SELECT
    trace_id,
    start_ns,
    end_ns,
    unnest(
      range(
        start_ns - (start_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT,
        end_ns,
        $bucket_ns::BIGINT
      )
    ) AS bucket_start_ns
  FROM span
  WHERE end_ns > start_ns
),
place AS (
  SELECT DISTINCT trace_id, engine, core, port FROM step
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  p.engine,
  p.core,
  p.port,
  b.bucket_start_ns,
  least(b.end_ns, b.bucket_start_ns + $bucket_ns::BIGINT) - greatest(b.start_ns, b.bucket_start_ns)
    AS covered_ns,
  coalesce(f.work_ns, 0) AS work_ns,
  coalesce(f.work_ns, 0) / (
    least(b.end_ns, b.bucket_start_ns + $bucket_ns::BIGINT) - greatest(b.start_ns, b.bucket_start_ns)
  ) AS utilization
FROM bucket AS b
JOIN place AS p ON p.trace_id = b.trace_id
LEFT JOIN filled AS f
  ON f.trace_id = b.trace_id
  AND f.engine = p.engine
  AND f.core IS NOT DISTINCT FROM p.core
  AND f.port IS NOT DISTINCT FROM p.port
  AND f.bucket_start_ns = b.bucket_start_ns
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, p.core, p.port, p.engine, b.bucket_start_ns
