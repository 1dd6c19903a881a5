/* ---
name = "queue_step"
version = 3
title = "Launched work waiting on each stream, at each change"
help = """
Work counts as queued from the start of the call that launched it until the work starts, and as
outstanding until it ends. Work that starts before its own call (inconsistent clocks) is never
queued; work without a recorded call does not count at all. All work of a graph launch is queued at
once. In a time window, all work of the trace counts, and the first row of a stream is the state at
the start of the window.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "ts_ns"]
requires = { schema = ">=1", queries = ["launched_op@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "trace_id", "device_id", "track_id", "stream", "n_ops", "ts_ns", "next_ts_ns", "queue_length",
  "n_outstanding",
]

[column]
track_id.help = "Track of the stream"
n_ops.help = "Number of operations of the stream with a known call, at any time"
ts_ns = { type = "BIGINT", unit = "ns", help = "Time of the change, on the time axis of slice.ts" }

[column.next_ts_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time of the next change; NULL for the last change of the stream"

[changes]
3 = "new column n_ops"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
-- One key instead of four columns: what follows sorts all starts and ends.
WITH numbered_queue AS MATERIALIZED (
  SELECT *, row_number() OVER () AS queue_n
  FROM (
    SELECT DISTINCT trace_id, device_id, track_id, stream
    FROM whole_gpu_op
    WHERE kind <> 'sync'
  )
),
work AS (
  SELECT
    p.queue_n,
    least(d.call_ts, d.ts) AS launched_ns,
    d.ts AS start_ns,
    d.ts + greatest(d.dur, 0) AS end_ns
  FROM launched_op() AS d
  JOIN numbered_queue AS p
    ON p.track_id = d.track_id
    AND p.trace_id = d.trace_id
    AND p.device_id IS NOT DISTINCT FROM d.device_id
    AND p.stream IS NOT DISTINCT FROM d.stream
  WHERE d.call_ts IS NOT NULL
),
-- One sum for both: the low half of the number counts queued work, the high half outstanding work.
-- Of several changes at one time the last has the total, where neither is negative.
change AS (
  SELECT queue_n, launched_ns AS ts_ns, 4294967297 AS difference FROM work
  UNION ALL
  SELECT queue_n, start_ns AS ts_ns, -1 AS difference FROM work
  UNION ALL
  SELECT queue_n, end_ns AS ts_ns, -4294967296 AS difference FROM work
),
queue_ops AS (
  SELECT p.*, w.n_ops
  FROM numbered_queue AS p
  JOIN (SELECT queue_n, count(*) AS n_ops FROM work GROUP BY queue_n) AS w ON w.queue_n = p.queue_n
),
total AS (
  SELECT
    queue_n,
    ts_ns,
    lead(ts_ns) OVER (PARTITION BY queue_n ORDER BY ts_ns) AS next_ts_ns,
    sum(difference) OVER (
      PARTITION BY queue_n
      ORDER BY ts_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS total
  FROM change
)
SELECT
  p.trace_id,
  p.device_id,
  p.track_id,
  p.stream,
  p.n_ops,
  greatest(a.ts_ns, w.from_ns) AS ts_ns,
  least(a.next_ts_ns, CASE WHEN a.next_ts_ns IS NOT NULL THEN w.to_ns END) AS next_ts_ns,
  a.total::BIGINT % 4294967296 AS queue_length,
  a.total::BIGINT // 4294967296 AS n_outstanding
FROM total AS a
CROSS JOIN time_window AS w
JOIN queue_ops AS p ON p.queue_n = a.queue_n
WHERE (a.next_ts_ns IS NULL OR a.next_ts_ns > a.ts_ns)
  AND a.ts_ns < w.to_ns
  AND (a.ts_ns >= w.from_ns OR a.next_ts_ns > w.from_ns)
