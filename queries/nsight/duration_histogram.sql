/* ---
name = "duration_histogram"
version = 1
title = "Histogram of the durations of a step, range, operator or kernel, by rank"
help = """
Occurrences of the name, by duration, in buckets of equal width between the shortest and the longest of all
ranks of the run, so ranks can be compared. Without a name they are the steps. A bucket without occurrences has no
row; the last one contains the longest. A time window contains the occurrences that run in it, whole.
"""
scale = "run"
needs = "steps, or the name of what is recorded: -p name=NAME"
grain = ["trace_id", "kind", "device_id", "bucket"]
requires = { schema = ">=1", queries = ["named_occurrence@1"] }
columns = [
  "run_id", "trace_id", "rank", "kind", "device_id", "device", "bucket", "from_ns", "to_ns", "n",
  "share",
]

[param.name]
type = "VARCHAR"
nullable = true
help = "Name of a range, operator or kernel, as recorded; NULL: steps"

[param.buckets]
type = "BIGINT"
unit = "count"
default = 20
min = 1
max = 10000
help = "Number of buckets"

[column]
kind = { check = "IN ('step', 'range', 'operator', 'kernel')", help = "step, range, operator or kernel" }
device_id.help = "Device of a kernel; NULL: on the host, or not recorded"
device.help = "Device number, as recorded; NULL: on the host"
bucket = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the bucket, from 1" }
from_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Least duration of the bucket" }
to_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration that the bucket ends before" }
n = { help = "Number of occurrences" }
share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "n / occurrences of the rank and device" }

[changes]
1 = "first version"
--- */
WITH one AS (
  SELECT
    o.trace_id, o.kind, o.device_id, o.dur_ns, t.run_id, t.rank,
    min(o.dur_ns) OVER of_run AS least_ns,
    max(o.dur_ns) OVER of_run AS most_ns
  FROM named_occurrence($name::VARCHAR) AS o
  SEMI JOIN slice AS s ON s.id = o.slice_id
  JOIN trace AS t ON t.id = o.trace_id
  WINDOW of_run AS (PARTITION BY t.run_id, o.kind)
),
placed AS (
  SELECT
    run_id, trace_id, rank, kind, device_id, least_ns,
    most_ns - least_ns AS range_ns,
    -- In whole numbers, so that a border belongs to one bucket.
    least(
      coalesce((dur_ns - least_ns) * $buckets::BIGINT // nullif(most_ns - least_ns, 0), 0),
      $buckets::BIGINT - 1
    ) AS bucket_n,
    $buckets::BIGINT AS n_buckets
  FROM one
)
SELECT
  p.run_id,
  p.trace_id,
  p.rank,
  p.kind,
  p.device_id,
  d.ordinal AS device,
  p.bucket_n + 1 AS bucket,
  p.least_ns + p.bucket_n * p.range_ns / p.n_buckets AS from_ns,
  p.least_ns + (p.bucket_n + 1) * p.range_ns / p.n_buckets AS to_ns,
  count(*) AS n,
  count(*) / sum(count(*)) OVER (PARTITION BY p.trace_id, p.kind, p.device_id) AS share
FROM placed AS p
LEFT JOIN device AS d ON d.id = p.device_id
GROUP BY
  p.run_id, p.trace_id, p.rank, p.kind, p.device_id, d.ordinal, p.bucket_n, p.least_ns, p.range_ns,
  p.n_buckets
ORDER BY p.run_id, p.kind, p.rank, p.trace_id, d.ordinal, p.device_id, p.bucket_n
