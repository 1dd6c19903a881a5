/* ---
name = "queue_step"
version = 1
title = "How much launched work waits on each stream, at each change"
help = """
Work counts as queued from the start of the call that launched it until it starts, and as outstanding
until it ends. What begins before its own call (clocks that disagree) is queued for no time, and so
is work without a known call, which does not count at all. All work of a graph launch is queued at
once.
"""
grain = ["trace_id", "device_id", "stream", "ts_ns"]
requires = { schema = ">=1", queries = ["device_op@1"] }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "ts_ns"
type = "BIGINT"
unit = "ns"
help = "When it changes, on the scale of slice.ts"

[[column]]
name = "next_ts_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "When it changes next; NULL for the last change of the stream"

[[column]]
name = "queue_length"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Operations launched and not started, from now on"

[[column]]
name = "n_outstanding"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Operations launched and not ended, from now on"

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
-- One sum for both: what is queued counts in the low half of a number, what is outstanding in the
-- high half. Of several changes at once, the last has them all; there neither is negative.
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
