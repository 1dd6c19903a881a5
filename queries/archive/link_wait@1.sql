/* ---
name = "link_wait"
version = 1
title = "Device work → the call that waited for it"
help = """Of the work launched before the wait on what the call waits for (a stream, a device, what an event
marks), the last to end, where it ended after the call began: otherwise the call waited for nothing.
Records of waits (cuda_sync) say exactly what was waited for; for one stream's wait for an event of
another the link leads to the record itself. Without a record the call's name tells: all work
launched before, that of a stream which was done when the call ended, or, for an event, what ended
during the call. A blocking copy, and any copy into memory that is not
pinned, is waited for by its own call, if it ended during the call."""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
portable = false

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the device work"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the call; of the wait, where a stream waits"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "wait"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "sync_record, device, stream, event or copy"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1 for records and copies, 0.8 where the work ends after the call; without a record 0.9 for a device, 0.6 of several, 0.5 for streams and events"

[changes]
1 = "first version"
--- */
-- Which calls do not return before the device has done something, and what that is. The names are
-- without the suffixes of versions and of per-thread streams (cuMemcpyDtoH_v2_ptds).
WITH blocking(call_name, waits_for) AS (
  VALUES
    ('cudaDeviceSynchronize', 'device'),
    ('cudaThreadSynchronize', 'device'),
    ('cuCtxSynchronize', 'device'),
    ('hipDeviceSynchronize', 'device'),
    ('hipCtxSynchronize', 'device'),
    ('cudaStreamSynchronize', 'stream'),
    ('cuStreamSynchronize', 'stream'),
    ('hipStreamSynchronize', 'stream'),
    ('cudaEventSynchronize', 'event'),
    ('cuEventSynchronize', 'event'),
    ('hipEventSynchronize', 'event'),
    ('synchronize', 'stream'),
    ('synchronizeStream', 'stream'),
    ('cudaMemcpy', 'copy'),
    ('cudaMemcpy2D', 'copy'),
    ('cudaMemcpy3D', 'copy'),
    ('cudaMemcpyToSymbol', 'copy'),
    ('cudaMemcpyFromSymbol', 'copy'),
    ('cuMemcpy', 'copy'),
    ('cuMemcpyHtoD', 'copy'),
    ('cuMemcpyDtoH', 'copy'),
    ('cuMemcpy2D', 'copy'),
    ('cuMemcpy3D', 'copy'),
    ('hipMemcpy', 'copy'),
    ('hipMemcpy2D', 'copy'),
    ('hipMemcpyDtoH', 'copy'),
    ('hipMemcpyHtoD', 'copy'),
    ('hipMemcpyToSymbol', 'copy'),
    ('hipMemcpyFromSymbol', 'copy'),
    ('hipMemcpyWithStream', 'copy')
),
cause AS MATERIALIZED (
  SELECT from_id, to_id
  FROM link
  WHERE trace_id = $trace_id::BIGINT
    AND kind IN ('launch', 'sync_call')
    AND link_set = 'default'
),
blocked AS MATERIALIZED (
  SELECT l.slice_id, l.ts, l.ts + greatest(l.dur, 0) AS end_ts, b.waits_for
  FROM launch AS l
  JOIN blocking AS b ON b.call_name = regexp_replace(l.name, '(_v[0-9]+|_pt[sd][sz])+$', '')
  WHERE l.trace_id = $trace_id::BIGINT
),
-- What a device says of waits. A call that only asks (cudaEventQuery) waits for nothing. For one
-- stream's wait for another, the record itself is what waits.
record AS (
  SELECT
    CASE WHEN g.sync_kind = 'Stream Wait Event' THEN g.slice_id ELSE l.slice_id END AS to_id,
    l.slice_id AS call_id,
    g.device_id,
    CASE
      WHEN g.sync_kind = 'Stream Sync' THEN g.stream
      WHEN g.sync_kind IN ('Event Sync', 'Stream Wait Event') AND g.wait_on_stream >= 0
        THEN g.wait_on_stream
    END AS stream,
    g.sync_kind = 'Context Sync' AS is_device,
    coalesce(e.ts, l.ts) AS upto_ts,
    l.ts AS since_ts,
    CASE
      WHEN g.sync_kind = 'Stream Wait Event' THEN NULL
      ELSE l.ts + greatest(l.dur, 0)
    END AS until_ts
  FROM gpu_op AS g
  JOIN cause AS c ON c.to_id = g.slice_id
  JOIN launch AS l ON l.slice_id = c.from_id AND l.trace_id = $trace_id::BIGINT
  LEFT JOIN launch AS e
    ON e.correlation_id = g.wait_on_correlation_id AND e.trace_id = $trace_id::BIGINT
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind = 'sync'
    AND l.name NOT LIKE '%Query%'
),
wait AS MATERIALIZED (
  SELECT to_id, call_id, device_id, stream, upto_ts, since_ts, until_ts, 'sync_record' AS rule
  FROM record
  WHERE stream IS NOT NULL OR is_device
  UNION ALL
  SELECT slice_id, slice_id, NULL, NULL, ts, ts, end_ts, waits_for
  FROM blocked
  WHERE waits_for <> 'copy'
    AND slice_id NOT IN (
      SELECT call_id FROM record WHERE stream IS NOT NULL OR is_device
    )
),
work AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.device_id,
    g.stream,
    g.ts + greatest(g.dur, 0) AS end_ts,
    coalesce(l.ts, g.ts) AS launch_ts
  FROM gpu_op AS g
  LEFT JOIN cause AS c ON c.to_id = g.slice_id
  LEFT JOIN launch AS l ON l.slice_id = c.from_id AND l.trace_id = $trace_id::BIGINT
  CROSS JOIN (SELECT 1 FROM wait LIMIT 1) AS any_wait
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
),
place AS (
  SELECT device_id, stream, count(DISTINCT device_id) OVER () AS n_devices
  FROM (SELECT DISTINCT device_id, stream FROM work)
),
wait_on AS (
  SELECT
    w.to_id,
    w.rule,
    w.upto_ts,
    w.since_ts,
    w.until_ts,
    coalesce(p.device_id, -1) AS device_id,
    coalesce(p.stream, -1) AS stream,
    p.n_devices
  FROM wait AS w
  JOIN place AS p
    ON (w.device_id IS NULL OR p.device_id IS NOT DISTINCT FROM w.device_id)
    AND (w.stream IS NULL OR p.stream IS NOT DISTINCT FROM w.stream)
),
-- Of what was launched on a stream up to a moment, the last that ends later than all before it is the
-- last to end. (Streams work in order, so that is nearly all.)
lasting AS (
  SELECT slice_id, device_id, stream, end_ts, launch_ts
  FROM (
    SELECT
      *,
      max(end_ts) OVER (
        PARTITION BY device_id, stream
        ORDER BY launch_ts, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS earlier_end_ts
    FROM work
  )
  WHERE earlier_end_ts IS NULL
    OR end_ts >= earlier_end_ts
),
-- An event that no record tells of marks a moment of a stream: the last that ended during the call.
last_work AS (
  SELECT w.to_id, w.rule, w.until_ts, w.n_devices, k.slice_id AS from_id, k.end_ts
  FROM (SELECT * FROM wait_on WHERE rule <> 'event') AS w
  ASOF JOIN lasting AS k
    ON coalesce(k.device_id, -1) = w.device_id
    AND coalesce(k.stream, -1) = w.stream
    AND w.upto_ts >= k.launch_ts
  WHERE k.end_ts > w.since_ts
    AND (w.rule = 'sync_record' OR k.end_ts <= w.until_ts)
  UNION ALL
  SELECT w.to_id, w.rule, w.until_ts, w.n_devices, k.slice_id, k.end_ts
  FROM (SELECT * FROM wait_on WHERE rule = 'event') AS w
  ASOF JOIN work AS k
    ON coalesce(k.device_id, -1) = w.device_id
    AND coalesce(k.stream, -1) = w.stream
    AND w.until_ts >= k.end_ts
  WHERE k.end_ts > w.since_ts
    AND k.launch_ts <= w.upto_ts
),
found AS (
  SELECT
    to_id,
    rule,
    arg_max(from_id, (end_ts, from_id)) AS from_id,
    CASE
      WHEN rule = 'sync_record'
        THEN CASE WHEN max(end_ts) > any_value(until_ts) THEN 0.8::DOUBLE ELSE 1::DOUBLE END
      WHEN rule = 'device' AND any_value(n_devices) = 1 THEN 0.9::DOUBLE
      WHEN rule = 'device' THEN 0.6::DOUBLE
      ELSE 0.5::DOUBLE
    END AS confidence
  FROM last_work
  GROUP BY to_id, rule
),
-- Blocking copies, and those into memory that is not pinned: the call returns when they are done.
copied AS (
  SELECT c.from_id AS to_id, arg_max(g.slice_id, (g.ts + greatest(g.dur, 0), g.slice_id)) AS from_id
  FROM cause AS c
  JOIN (
    SELECT slice_id, ts, dur, direction = 'DtoH' AND name LIKE '%Pageable%' AS is_unpinned
    FROM gpu_op
    WHERE trace_id = $trace_id::BIGINT
      AND kind = 'memcpy'
  ) AS g ON g.slice_id = c.to_id
  LEFT JOIN blocked AS b ON b.slice_id = c.from_id AND b.waits_for = 'copy'
  WHERE b.slice_id IS NOT NULL
    OR g.is_unpinned
  GROUP BY c.from_id
)
SELECT from_id, to_id, 'wait' AS kind, rule, confidence
FROM found
UNION ALL
SELECT c.from_id, c.to_id, 'wait' AS kind, 'copy' AS rule, 1::DOUBLE AS confidence
FROM copied AS c
JOIN launch AS l ON l.slice_id = c.to_id
JOIN gpu_op AS g ON g.slice_id = c.from_id
ANTI JOIN found AS f ON f.to_id = c.to_id
WHERE l.trace_id = $trace_id::BIGINT
  AND g.trace_id = $trace_id::BIGINT
  AND g.ts + greatest(g.dur, 0) <= l.ts + greatest(l.dur, 0)
ORDER BY to_id
