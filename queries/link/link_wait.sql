/* ---
name = "link_wait"
version = 4
title = "Links from device work to the calls that waited for it"
help = """
Of the work launched before the wait on what the call waits for (a stream, a device, or the work
marked by an event), the last to end, if it ended after the call began; otherwise the call did not
wait. A call waits for work of its own process only: work belongs to the process that launched it,
or, without a launch, to the process of its stream; a record waits for work of its own context. Wait
records (cuda_sync) name exactly what was waited for; where one stream waits for an event of
another, the link leads to the record itself. Without a record the name of the call decides: all
work launched before, that of a stream that was done when the call ended, or, for an event, work
that ended during the call. A blocking copy, and any copy into unpinned memory, is waited for by its
own call if it ended during the call.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
scale = "trace"
within_trace = true
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
4 = "of work that ends at one time while a call waits for an event, the last launched"
3 = "only work of the waiting process, and for records only work of their context; of several operations of one call, the last to end"
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
-- The process of each track. Some sources show a device as a process, with the number of the device
-- for its own: such a process does nothing itself.
track_process AS MATERIALIZED (
  SELECT
    k.id AS track_id,
    k.process_id,
    CASE WHEN p.pid = d.ordinal THEN NULL ELSE k.process_id END AS real_process_id
  FROM track AS k
  LEFT JOIN process AS p ON p.id = k.process_id
  LEFT JOIN device AS d ON d.id = k.device_id
  WHERE k.trace_id = $trace_id::BIGINT
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
  SELECT
    l.slice_id, l.trace_id, l.track_id, l.ts, l.ts + greatest(l.dur, 0) AS end_ts, b.waits_for
  FROM launch AS l
  JOIN blocking_name AS b ON b.name = l.name
  WHERE l.trace_id = $trace_id::BIGINT
),
sync AS MATERIALIZED (
  SELECT
    slice_id, device_id, context_id, stream, sync_kind, wait_on_stream, wait_on_correlation_id
  FROM gpu_op
  WHERE trace_id = $trace_id::BIGINT
    AND kind = 'sync'
),
-- Wait records of a device. A call that only queries (cudaEventQuery) waits for nothing. If one
-- stream waits for another, the record itself is the waiter.
record AS (
  SELECT
    l.trace_id,
    CASE WHEN g.sync_kind = 'Stream Wait Event' THEN g.slice_id ELSE l.slice_id END AS to_id,
    l.slice_id AS call_id,
    l.track_id,
    g.device_id,
    g.context_id,
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
  LEFT JOIN track_process AS c ON c.track_id = l.track_id
  LEFT JOIN (
    SELECT l.trace_id, l.correlation_id, p.process_id, l.ts
    FROM launch AS l
    SEMI JOIN sync AS g ON g.wait_on_correlation_id = l.correlation_id
    LEFT JOIN track_process AS p ON p.track_id = l.track_id
    WHERE l.trace_id = $trace_id::BIGINT
  ) AS e
    ON e.correlation_id = g.wait_on_correlation_id
    AND e.trace_id = l.trace_id
    AND e.process_id IS NOT DISTINCT FROM c.process_id
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.name NOT LIKE '%Query%'
),
-- What is of no known process is of a process of its own in each trace, -1 - trace_id.
wait AS MATERIALIZED (
  SELECT
    w.to_id, w.call_id, coalesce(p.process_id, -1 - w.trace_id) AS process_id, w.device_id,
    w.context_id, w.stream, w.upto_ts, w.since_ts, w.until_ts, 'sync_record' AS rule
  FROM record AS w
  LEFT JOIN track_process AS p ON p.track_id = w.track_id
  WHERE w.stream IS NOT NULL OR w.is_device
  UNION ALL
  SELECT
    w.slice_id, w.slice_id, coalesce(p.process_id, -1 - w.trace_id), NULL, NULL, NULL, w.ts, w.ts,
    w.end_ts, w.waits_for
  FROM blocked AS w
  LEFT JOIN track_process AS p ON p.track_id = w.track_id
  WHERE w.waits_for <> 'copy'
    AND w.slice_id NOT IN (
      SELECT call_id FROM record WHERE stream IS NOT NULL OR is_device
    )
),
-- Without waits, no work needs to be read.
any_wait AS (
  SELECT 1 FROM wait LIMIT 1
),
launched AS (
  SELECT c.to_id, l.ts, p.process_id
  FROM launch AS l
  JOIN (SELECT from_id, to_id FROM cause CROSS JOIN any_wait) AS c ON c.from_id = l.slice_id
  LEFT JOIN track_process AS p ON p.track_id = l.track_id
  WHERE l.trace_id = $trace_id::BIGINT
),
-- Work is many rows: the places it can be at have a number.
lane AS MATERIALIZED (
  SELECT
    (row_number() OVER (ORDER BY g.track_id, g.context_id, g.device_id, g.stream, c.process_id))::INTEGER
      AS lane_n,
    g.*,
    c.process_id
  FROM (
    SELECT DISTINCT
      trace_id,
      track_id,
      coalesce(context_id, -1) AS context_id,
      coalesce(device_id, -1) AS device_id,
      coalesce(stream, -1) AS stream
    FROM gpu_op
    CROSS JOIN any_wait
    WHERE trace_id = $trace_id::BIGINT
      AND kind <> 'sync'
  ) AS g
  JOIN (
    SELECT l.trace_id, coalesce(p.process_id, -1) AS process_id
    FROM (SELECT DISTINCT trace_id, track_id FROM launch WHERE trace_id = $trace_id::BIGINT) AS l
    LEFT JOIN track_process AS p ON p.track_id = l.track_id
    UNION
    SELECT DISTINCT trace_id, -1 FROM gpu_op WHERE trace_id = $trace_id::BIGINT
  ) AS c ON c.trace_id = g.trace_id
),
placed AS MATERIALIZED (
  SELECT
    g.slice_id,
    k.lane_n,
    g.ts + greatest(g.dur, 0) AS end_ts,
    coalesce(l.ts, g.ts) AS launch_ts
  FROM gpu_op AS g
  LEFT JOIN launched AS l ON l.to_id = g.slice_id
  JOIN lane AS k
    ON k.track_id = g.track_id
    AND k.context_id = coalesce(g.context_id, -1)
    AND k.device_id = coalesce(g.device_id, -1)
    AND k.stream = coalesce(g.stream, -1)
    AND k.process_id = coalesce(l.process_id, -1)
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
),
work AS MATERIALIZED (
  SELECT *
  FROM lane
  WHERE lane_n IN (SELECT DISTINCT lane_n FROM placed)
),
-- Queues: the work of one process on one stream. Work without a recorded call belongs to
-- the process of its track, or else to the only one that launches on that track.
launcher AS (
  SELECT track_id, min(process_id) AS process_id
  FROM work
  WHERE process_id <> -1
  GROUP BY track_id
  HAVING min(process_id) = max(process_id)
),
only_caller AS (
  SELECT l.trace_id, min(p.process_id) AS process_id
  FROM (SELECT DISTINCT trace_id, track_id FROM launch WHERE trace_id = $trace_id::BIGINT) AS l
  JOIN track_process AS p ON p.track_id = l.track_id
  GROUP BY l.trace_id
  HAVING min(p.process_id) = max(p.process_id)
),
queue AS MATERIALIZED (
  SELECT
    *,
    dense_rank() OVER (ORDER BY track_id, context_id, owner_id, device_id, stream) AS queue_n
  FROM (
    SELECT
      w.*,
      coalesce(
        nullif(w.process_id, -1), p.real_process_id, l.process_id, o.process_id, -1 - w.trace_id
      ) AS owner_id,
      p.real_process_id
    FROM work AS w
    LEFT JOIN track_process AS p ON p.track_id = w.track_id
    LEFT JOIN launcher AS l ON l.track_id = w.track_id
    LEFT JOIN only_caller AS o ON o.trace_id = w.trace_id
  )
),
-- A process may also wait for what others launch on its own tracks: the device of MTIA does.
waited_queue AS (
  SELECT
    owner_id AS process_id, queue_n, device_id, context_id, stream
  FROM queue
  UNION
  SELECT real_process_id, queue_n, device_id, context_id, stream
  FROM queue
  WHERE real_process_id IS NOT NULL
),
wait_on AS (
  SELECT w.to_id, w.rule, w.upto_ts, w.since_ts, w.until_ts, q.queue_n, n.n_devices
  FROM wait AS w
  JOIN waited_queue AS q
    ON q.process_id = w.process_id
    AND (w.device_id IS NULL OR q.device_id = w.device_id)
    AND (w.context_id IS NULL OR q.context_id IN (w.context_id, -1))
    AND (w.stream IS NULL OR q.stream = w.stream)
  JOIN (
    SELECT process_id, count(DISTINCT device_id) AS n_devices
    FROM waited_queue
    GROUP BY process_id
  ) AS n ON n.process_id = w.process_id
),
placed_work AS NOT MATERIALIZED (
  SELECT w.slice_id, q.queue_n, w.end_ts, w.launch_ts
  FROM placed AS w
  JOIN (SELECT lane_n, queue_n FROM queue) AS q ON q.lane_n = w.lane_n
),
-- When the work launched on a stream up to an instant ends. Sorting all work would take long: that
-- of four milliseconds in which no wait begins counts as one.
reach AS (
  SELECT
    queue_n,
    launch_ts,
    max(end_ts) OVER (PARTITION BY queue_n ORDER BY launch_ts) AS reach_ts
  FROM (
    SELECT k.queue_n, k.launch_ts, k.end_ts
    FROM placed_work AS k
    SEMI JOIN (FROM wait_on WHERE rule <> 'event') AS w
      ON w.queue_n = k.queue_n AND (w.upto_ts >> 22) = (k.launch_ts >> 22)
    UNION ALL
    SELECT queue_n, max(launch_ts), max(end_ts)
    FROM placed_work
    GROUP BY queue_n, launch_ts >> 22
  )
),
reached AS (
  SELECT w.to_id, w.rule, w.upto_ts, w.until_ts, w.n_devices, w.queue_n, k.reach_ts
  FROM (SELECT * FROM wait_on WHERE rule <> 'event') AS w
  ASOF JOIN reach AS k
    ON k.queue_n = w.queue_n
    AND w.upto_ts >= k.launch_ts
  WHERE k.reach_ts > w.since_ts
    AND (w.rule = 'sync_record' OR k.reach_ts <= w.until_ts)
),
-- An event without a record marks a point of a stream: the last work that ended during the call.
last_work AS (
  SELECT
    w.to_id,
    w.rule,
    w.until_ts,
    w.n_devices,
    -- Of several that end then, the last launched.
    arg_max(k.slice_id, (k.launch_ts, k.slice_id)) AS from_id,
    w.reach_ts AS end_ts
  FROM placed_work AS k
  JOIN reached AS w
    ON w.queue_n = k.queue_n
    AND w.reach_ts = k.end_ts
    AND w.upto_ts >= k.launch_ts
  GROUP BY w.to_id, w.rule, w.until_ts, w.n_devices, w.queue_n, w.reach_ts
  UNION ALL
  SELECT w.to_id, w.rule, w.until_ts, w.n_devices, k.slice_id, k.end_ts
  FROM (SELECT * FROM wait_on WHERE rule = 'event') AS w
  ASOF JOIN (
    -- As above: of four milliseconds in which no wait ends, only the last work is sorted.
    SELECT
      arg_max(k.slice_id, (k.launch_ts, k.slice_id)) AS slice_id,
      k.queue_n,
      k.end_ts,
      max(k.launch_ts) AS launch_ts
    FROM placed_work AS k
    SEMI JOIN (FROM wait_on WHERE rule = 'event') AS w
      ON w.queue_n = k.queue_n AND (w.until_ts >> 22) = (k.end_ts >> 22)
    GROUP BY k.queue_n, k.end_ts
    UNION ALL
    SELECT
      arg_max(k.slice_id, (k.end_ts, k.launch_ts, k.slice_id)),
      k.queue_n,
      max(k.end_ts),
      arg_max(k.launch_ts, (k.end_ts, k.launch_ts))
    FROM placed_work AS k
    ANTI JOIN (FROM wait_on WHERE rule = 'event') AS w
      ON w.queue_n = k.queue_n AND (w.until_ts >> 22) = (k.end_ts >> 22)
    GROUP BY k.queue_n, k.end_ts >> 22
  ) AS k
    ON k.queue_n = w.queue_n
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
copy AS (
  SELECT c.from_id AS to_id, g.slice_id, g.end_ts
  FROM cause AS c
  JOIN (
    SELECT
      slice_id,
      ts + greatest(dur, 0) AS end_ts,
      direction = 'DtoH' AND name LIKE '%Pageable%' AS is_unpinned
    FROM gpu_op
    WHERE trace_id = $trace_id::BIGINT
      AND kind = 'memcpy'
  ) AS g ON g.slice_id = c.to_id
  LEFT JOIN blocked AS b ON b.slice_id = c.from_id AND b.waits_for = 'copy'
  WHERE b.slice_id IS NOT NULL
    OR g.is_unpinned
)
SELECT from_id, to_id, 'wait' AS kind, rule, confidence
FROM found
UNION ALL
SELECT
  arg_max(c.slice_id, (c.end_ts, c.slice_id)) AS from_id,
  c.to_id,
  'wait' AS kind,
  'copy' AS rule,
  1::DOUBLE AS confidence
FROM launch AS l
JOIN copy AS c ON c.to_id = l.slice_id
ANTI JOIN found AS f ON f.to_id = c.to_id
WHERE l.trace_id = $trace_id::BIGINT
  AND c.end_ts <= l.ts + greatest(l.dur, 0)
GROUP BY c.to_id
ORDER BY to_id
