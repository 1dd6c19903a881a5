/* ---
name = "gpu_time_util"
version = 2
title = "Times of low device utilization by a process"
help = """
The time from the start of a process's first to the end of its last operation on a device is split
into equal chunks (the last may be shorter). Chunks used less than max_share are returned, adjacent
ones merged. Overlapping operations each count, so a share may exceed 1; CUDA's profiling overhead
(as the profiler names it) in the process and strictly between these times counts as use. Least used
first. Corresponds to the rule gpu_time_util of `nsys analyze`. `utilization_over_time` has all
buckets of every device. Only work that runs in the time window counts, whole.
"""
grain = ["trace_id", "process_id", "device_id", "start_ns"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "process_id", "device_id", "used_share", "dur_ns", "start_ns",
  "n_chunks", "pid", "device", "device_name",
]

[param.chunks]
type = "BIGINT"
unit = "count"
default = 30
min = 1
max = 1000
help = "Number of chunks"

[param.max_share]
type = "DOUBLE"
unit = "ratio"
default = 0.5
min = 0
help = "Upper bound of the used share of a chunk"

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Maximum number of rows per trace, least used first; null: all"

[column]
device_id.help = "Device"
dur_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Duration" }
start_ns.help = "Start, on the time axis of slice.ts"
n_chunks = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of chunks merged" }
pid.help = "System process number"

[column.used_share]
type = "DOUBLE"
unit = "ratio"
check = ">= 0"
help = "Time of operations / length; for merged chunks the mean weighted by length"

[changes]
2 = "only CUDA's profiling overhead counts as use, and only if it lies between the operations"
1 = "first version"
--- */
WITH work AS MATERIALIZED (
  SELECT g.trace_id, k.process_id, g.device_id, g.ts AS start_ns, g.ts + greatest(g.dur, 0) AS end_ns
  FROM gpu_op AS g
  JOIN track AS k ON k.id = g.track_id
  WHERE g.kind <> 'sync'
),
whole AS MATERIALIZED (
  SELECT
    *,
    -- Rounded up.
    (last_ns - first_ns + $chunks::BIGINT - 1) // $chunks::BIGINT AS size_ns,
    row_number() OVER (ORDER BY trace_id, process_id, device_id) AS whole_n
  FROM (
    SELECT
      trace_id, process_id, device_id, min(start_ns) AS first_ns, max(end_ns) AS last_ns
    FROM work
    GROUP BY trace_id, process_id, device_id
  )
  WHERE last_ns > first_ns
),
used AS (
  SELECT
    w.whole_n, w.first_ns, w.size_ns, o.start_ns, o.end_ns,
    (o.start_ns - w.first_ns) // w.size_ns AS from_n,
    (greatest(o.end_ns - 1, o.start_ns) - w.first_ns) // w.size_ns AS to_n
  FROM work AS o
  JOIN whole AS w
    ON w.trace_id = o.trace_id AND w.process_id IS NOT DISTINCT FROM o.process_id
    AND w.device_id IS NOT DISTINCT FROM o.device_id
  UNION ALL
  SELECT
    w.whole_n, w.first_ns, w.size_ns, o.start_ns, o.end_ns,
    (o.start_ns - w.first_ns) // w.size_ns,
    (greatest(o.end_ns - 1, o.start_ns) - w.first_ns) // w.size_ns
  FROM (
    SELECT
      w.whole_n, s.ts AS start_ns, s.ts + greatest(s.dur, 0) AS end_ns
    FROM slice AS s
    JOIN track AS k ON k.id = s.track_id
    JOIN whole AS w ON w.trace_id = s.trace_id AND w.process_id = k.process_id
    WHERE s.category = 'overhead'
      AND s.name IN (
        'CUDA profiling overhead', 'CUDA profiling data flush overhead', 'CUDA profiling stop overhead'
      )
      AND s.ts > w.first_ns
      AND s.ts + greatest(s.dur, 0) < w.last_ns
  ) AS o
  JOIN whole AS w ON w.whole_n = o.whole_n
),
-- Few operations extend beyond one chunk.
part AS (
  SELECT whole_n, from_n AS chunk_n, sum(end_ns - start_ns)::BIGINT AS used_ns
  FROM used
  WHERE from_n = to_n
  GROUP BY whole_n, from_n
  UNION ALL
  SELECT
    whole_n, chunk_n,
    least(end_ns, first_ns + (chunk_n + 1) * size_ns) - greatest(start_ns, first_ns + chunk_n * size_ns)
  FROM (SELECT *, unnest(range(from_n, to_n + 1)) AS chunk_n FROM used WHERE from_n < to_n)
),
chunk AS (
  SELECT
    whole_n, chunk_n, first_ns + chunk_n * size_ns AS start_ns,
    least(first_ns + (chunk_n + 1) * size_ns, last_ns) AS end_ns
  FROM (SELECT *, unnest(range($chunks::BIGINT)) AS chunk_n FROM whole)
  WHERE first_ns + chunk_n * size_ns < last_ns
),
low_use AS (
  SELECT c.*, coalesce(p.used_ns, 0) AS used_ns
  FROM chunk AS c
  LEFT JOIN (
    SELECT whole_n, chunk_n, sum(used_ns)::BIGINT AS used_ns FROM part GROUP BY whole_n, chunk_n
  ) AS p ON p.whole_n = c.whole_n AND p.chunk_n = c.chunk_n
  WHERE coalesce(p.used_ns, 0) < $max_share::DOUBLE * (c.end_ns - c.start_ns)
),
stretch AS (
  SELECT
    whole_n, min(start_ns) AS start_ns, max(end_ns) - min(start_ns) AS dur_ns,
    sum(used_ns)::BIGINT AS used_ns, count(*) AS n_chunks
  FROM (
    SELECT *, chunk_n - row_number() OVER (PARTITION BY whole_n ORDER BY chunk_n) AS stretch_n
    FROM low_use
  )
  GROUP BY whole_n, stretch_n
),
placed AS (
  SELECT
    w.trace_id, w.process_id, w.device_id, s.used_ns / s.dur_ns AS used_share, s.dur_ns, s.start_ns,
    s.n_chunks,
    row_number() OVER (
      PARTITION BY w.trace_id
      ORDER BY s.used_ns / s.dur_ns, s.dur_ns DESC, s.start_ns, s.whole_n
    ) AS place
  FROM stretch AS s
  JOIN whole AS w ON w.whole_n = s.whole_n
)
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  u.process_id,
  u.device_id,
  u.used_share,
  u.dur_ns,
  u.start_ns,
  u.n_chunks,
  p.pid,
  d.ordinal AS device,
  d.name AS device_name
FROM placed AS u
JOIN trace AS t ON t.id = u.trace_id
LEFT JOIN process AS p ON p.id = u.process_id
LEFT JOIN device AS d ON d.id = u.device_id
WHERE $top::BIGINT IS NULL OR u.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, u.trace_id, u.place
