/* ---
name = "link_wait"
version = 2
title = "Links from device work to the calls that waited for it"
help = """
Of the work launched before the wait on what the call waits for (a stream, a device, or the work
marked by an event), the last to end, if it ended after the call began; otherwise the call did not
wait. Wait records (cuda_sync) name exactly what was waited for; where one stream waits for an event
of another, the link leads to the record itself. Without a record the name of the call decides: all
work launched before, that of a stream that was done when the call ended, or, for an event, work
that ended during the call. A blocking copy, and any copy into unpinned memory, is waited for by its
own call if it ended during the call.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
portable = false
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the device work"
to_id.help = "Slice of the call; if a stream waits, of the wait"
kind.help = "wait"
rule.help = "sync_record, device, stream, event or copy"

[column.confidence]
help = "1 for records and copies, 0.8 if the work ends after the call; without a record 0.9 for a device, 0.6 for several, 0.5 for streams and events"

[changes]
2 = "same links, faster where few calls wait"
1 = "first version"
--- */
-- Calls that return only after the device has done something, and what that is. Names exclude the
-- suffixes of versions and per-thread streams (cuMemcpyDtoH_v2_ptds).
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
-- Calls have few distinct names.
blocking_name AS (
  SELECT c.name, b.waits_for
  FROM (SELECT DISTINCT name FROM launch WHERE trace_id = $trace_id::BIGINT) AS c
  JOIN blocking AS b ON b.call_name = regexp_replace(c.name, '(_v[0-9]+|_pt[sd][sz])+$', '')
),
blocked AS MATERIALIZED (
  SELECT l.slice_id, l.ts, l.ts + greatest(l.dur, 0) AS end_ts, b.waits_for
  FROM launch AS l
  JOIN blocking_name AS b ON b.name = l.name
  WHERE l.trace_id = $trace_id::BIGINT
),
sync AS MATERIALIZED (
  SELECT slice_id, device_id, stream, sync_kind, wait_on_stream, wait_on_correlation_id
  FROM gpu_op
  WHERE trace_id = $trace_id::BIGINT
    AND kind = 'sync'
),
-- Wait records of a device. A call that only queries (cudaEventQuery) waits for nothing. If one
-- stream waits for another, the record itself is the waiter.
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
  FROM launch AS l
  JOIN (
    SELECT c.from_id, g.*
    FROM cause AS c
    JOIN sync AS g ON g.slice_id = c.to_id
  ) AS g ON g.from_id = l.slice_id
  LEFT JOIN (
    SELECT l.correlation_id, l.ts
    FROM launch AS l
    SEMI JOIN sync AS g ON g.wait_on_correlation_id = l.correlation_id
    WHERE l.trace_id = $trace_id::BIGINT
  ) AS e ON e.correlation_id = g.wait_on_correlation_id
  WHERE l.trace_id = $trace_id::BIGINT
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
-- Without waits, no work needs to be read.
any_wait AS (
  SELECT 1 FROM wait LIMIT 1
),
launched AS (
  SELECT c.to_id, l.ts
  FROM launch AS l
  JOIN (SELECT from_id, to_id FROM cause CROSS JOIN any_wait) AS c ON c.from_id = l.slice_id
  WHERE l.trace_id = $trace_id::BIGINT
),
work AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.device_id,
    g.stream,
    g.ts + greatest(g.dur, 0) AS end_ts,
    coalesce(l.ts, g.ts) AS launch_ts
  FROM gpu_op AS g
  LEFT JOIN launched AS l ON l.to_id = g.slice_id
  CROSS JOIN any_wait
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
-- Of the work launched on a stream up to an instant, the last that ends later than all before it is
-- the last to end. (Streams execute in order, so nearly all do.)
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
-- An event without a record marks a point of a stream: the last work that ended during the call.
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
-- Blocking copies, and copies into unpinned memory: the call returns when they are done.
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
FROM gpu_op AS g
JOIN (
  SELECT c.from_id, c.to_id, l.ts + greatest(l.dur, 0) AS call_end_ts
  FROM launch AS l
  JOIN copied AS c ON c.to_id = l.slice_id
  WHERE l.trace_id = $trace_id::BIGINT
) AS c ON c.from_id = g.slice_id
ANTI JOIN found AS f ON f.to_id = c.to_id
WHERE g.trace_id = $trace_id::BIGINT
  AND g.ts + greatest(g.dur, 0) <= c.call_end_ts
ORDER BY to_id
