/* ---
name = "queue_step"
version = 1
title = "Launched work waiting on each stream, at each change"
help = """
Work counts as queued from the start of the call that launched it until the work starts, and as
outstanding until it ends. Work that starts before its own call (inconsistent clocks) is never
queued; work without a recorded call does not count at all. All work of a graph launch is queued at
once.
"""
grain = ["trace_id", "device_id", "stream", "ts_ns"]
requires = { schema = ">=1", queries = ["device_op@1"] }
columns = [
  "trace_id", "device_id", "stream", "ts_ns", "next_ts_ns", "queue_length", "n_outstanding",
]

[column]
ts_ns = { type = "BIGINT", unit = "ns", help = "Time of the change, on the time axis of slice.ts" }

[column.next_ts_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time of the next change; NULL for the last change of the stream"

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT
    d.trace_id,
    d.device_id,
    d.stream,
    least(l.ts, d.start_ns) AS launched_ns,
    d.start_ns,
    d.end_ns
  FROM device_op() AS d
  JOIN link AS k ON k.to_id = d.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  JOIN launch AS l ON l.slice_id = k.from_id
),
-- One sum for both: the low half of the number counts queued work, the high half outstanding work.
-- Of several changes at one time the last has the total, where neither is negative.
change AS (
  SELECT trace_id, device_id, stream, launched_ns AS ts_ns, 4294967297 AS difference
  FROM work
  UNION ALL
  SELECT trace_id, device_id, stream, start_ns AS ts_ns, -1 AS difference
  FROM work
  UNION ALL
  SELECT trace_id, device_id, stream, end_ns AS ts_ns, -4294967296 AS difference
  FROM work
),
total AS (
  SELECT
    trace_id,
    device_id,
    stream,
    ts_ns,
    lead(ts_ns) OVER (PARTITION BY trace_id, device_id, stream ORDER BY ts_ns) AS next_ts_ns,
    sum(difference) OVER (
      PARTITION BY trace_id, device_id, stream
      ORDER BY ts_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS total
  FROM change
)
SELECT
  trace_id,
  device_id,
  stream,
  ts_ns,
  next_ts_ns,
  total::BIGINT % 4294967296 AS queue_length,
  total::BIGINT // 4294967296 AS n_outstanding
FROM total
WHERE next_ts_ns IS NULL
  OR next_ts_ns > ts_ns
