/* ---
name = "tpu_utilization_over_time"
version = 2
title = "Working share per TPU engine, by time bucket"
help = """
Buckets start at multiples of bucket_ns on the time axis of slice.ts and cover the span of the
capture. The first and last bucket count only the part inside the span, so work_ns and covered_ns
add up to those of tpu_engine_summary. Every engine has a row in every bucket. A time window
contains the commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port", "bucket_start_ns"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "bucket_start_ns", "covered_ns",
  "work_ns", "utilization",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 1
help = "Bucket width"

[column]
covered_ns.help = "Part of the bucket inside the span of the capture"
work_ns.help = "Time in which a command of the engine computes or moves data"
utilization = { nullable = false, help = "work_ns / covered_ns" }

[changes]
2 = "same figures, reads less"
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
    -- The remainder of a negative time is negative; the second % makes buckets start below the
    -- time.
    work_from_ns - (work_from_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns
  FROM step
  WHERE work_ns > 0
),
-- Nearly all lie in one bucket; the others are split.
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
engine_track AS (
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
JOIN engine_track AS p ON p.trace_id = b.trace_id
LEFT JOIN filled AS f
  ON f.trace_id = b.trace_id
  AND f.engine = p.engine
  AND f.core IS NOT DISTINCT FROM p.core
  AND f.port IS NOT DISTINCT FROM p.port
  AND f.bucket_start_ns = b.bucket_start_ns
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, p.core, p.port, p.engine, b.bucket_start_ns
