/* ---
name = "link_event_wait"
version = 1
title = "Links from device work to the work of another stream that waited for it"
help = """
An event marks a point of a stream: the work launched on it before the event was recorded. Another
stream that waits for the event continues after that. Links lead from the last work launched before
the record to the first work launched on the waiting stream after the wait, if the first ended before
the second began; otherwise nothing waited there.

Wait records (cuda_sync) name both streams and the recorded event. In a trace without records of this kind, the order
of the calls decides: the waiting stream is that of the next work that the calling thread launches, and the
awaited work the last that the process launched before the last record call of the thread (before the
wait, if there is none) on another stream of the device.
"""
grain = ["from_id", "to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
portable = false
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the device work waited for"
to_id.help = "Slice of the work that waited"
kind.help = "event_wait"
rule.help = "cuda_sync or call_order"
confidence.help = "1 for records, 0.5 for the order of calls"

[changes]
1 = "first version"
--- */
WITH wait_name AS (
  SELECT name
  FROM (SELECT DISTINCT name FROM launch WHERE trace_id = $trace_id::BIGINT)
  WHERE name LIKE '%StreamWaitEvent%'
),
wait_call AS MATERIALIZED (
  SELECT slice_id, trace_id, track_id, ts
  FROM launch
  WHERE trace_id = $trace_id::BIGINT
    AND name IN (FROM wait_name)
),
sync AS MATERIALIZED (
  SELECT slice_id, trace_id, track_id, device_id, stream, wait_on_stream, wait_on_correlation_id
  FROM gpu_op
  WHERE trace_id = $trace_id::BIGINT
    AND kind = 'sync'
    AND sync_kind = 'Stream Wait Event'
),
-- Without waits, no work needs to be read.
any_wait AS (
  SELECT 1 FROM wait_call UNION ALL SELECT 1 FROM sync LIMIT 1
),
place AS MATERIALIZED (
  SELECT id AS track_id, trace_id, coalesce(process_id, -1) AS process_id
  FROM track
  WHERE trace_id = $trace_id::BIGINT
),
cause AS MATERIALIZED (
  SELECT l.from_id, l.to_id, l.kind
  FROM link AS l
  CROSS JOIN any_wait
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.kind IN ('launch', 'sync_call')
    AND l.link_set = 'default'
),
call AS MATERIALIZED (
  SELECT l.slice_id, l.trace_id, l.track_id, l.ts, l.correlation_id, l.name, p.process_id
  FROM launch AS l
  JOIN place AS p ON p.track_id = l.track_id
  CROSS JOIN any_wait
  WHERE l.trace_id = $trace_id::BIGINT
),
-- Kineto shows the streams of all processes on one track each: if several processes make calls,
-- work of one does not follow that of another.
work AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.trace_id,
    p.process_id,
    l.process_id AS caller_process_id,
    CASE
      WHEN min(l.process_id) OVER callers < max(l.process_id) OVER callers THEN l.process_id
      ELSE -1
    END AS caller_id,
    coalesce(g.device_id, -1) AS device_id,
    coalesce(g.stream, -1) AS stream,
    g.ts AS start_ns,
    g.ts + g.dur AS end_ns,
    l.ts AS call_ns,
    l.track_id AS call_track_id
  FROM gpu_op AS g
  JOIN cause AS c ON c.to_id = g.slice_id AND c.kind = 'launch'
  JOIN call AS l ON l.slice_id = c.from_id
  JOIN place AS p ON p.track_id = g.track_id
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.dur > 0
    AND g.kind <> 'sync'
  WINDOW callers AS (PARTITION BY g.trace_id)
),
several AS (
  SELECT trace_id FROM work GROUP BY trace_id HAVING max(caller_id) >= 0
),
record_wait AS (
  SELECT
    g.slice_id,
    g.trace_id,
    any_value(p.process_id) AS process_id,
    any_value(CASE
      WHEN g.trace_id IN (SELECT trace_id FROM several) THEN l.process_id ELSE -1
    END) AS caller_id,
    any_value(coalesce(g.device_id, -1)) AS device_id,
    any_value(g.stream) AS stream,
    any_value(g.wait_on_stream) AS wait_on_stream,
    any_value(l.ts) AS call_ns,
    coalesce(max(r.ts), any_value(l.ts)) AS recorded_ns
  FROM sync AS g
  JOIN cause AS c ON c.to_id = g.slice_id AND c.kind = 'sync_call'
  JOIN call AS l ON l.slice_id = c.from_id
  JOIN place AS p ON p.track_id = g.track_id
  LEFT JOIN call AS r
    ON r.trace_id = g.trace_id AND r.correlation_id = g.wait_on_correlation_id AND r.ts <= l.ts
  WHERE g.stream <> g.wait_on_stream
  GROUP BY g.slice_id, g.trace_id
),
launch_order AS (
  SELECT
    trace_id,
    process_id,
    caller_id,
    device_id,
    stream,
    call_ns,
    max_by(slice_id, (end_ns, slice_id)) AS last_id,
    min_by(slice_id, (start_ns, slice_id)) AS first_id
  FROM work
  GROUP BY trace_id, process_id, caller_id, device_id, stream, call_ns
),
recorded AS (
  SELECT w.last_id AS from_id, o.first_id AS to_id, 'cuda_sync' AS rule, 1::DOUBLE AS confidence
  FROM (
    SELECT e.*, o.last_id
    FROM record_wait AS e
    ASOF JOIN launch_order AS o
      ON o.trace_id = e.trace_id
      AND o.process_id = e.process_id
      AND o.caller_id = e.caller_id
      AND o.device_id = e.device_id
      AND o.stream = e.wait_on_stream
      AND o.call_ns <= e.recorded_ns
  ) AS w
  ASOF JOIN launch_order AS o
    ON o.trace_id = w.trace_id
    AND o.process_id = w.process_id
    AND o.caller_id = w.caller_id
    AND o.device_id = w.device_id
    AND o.stream = w.stream
    AND o.call_ns >= w.call_ns
),
-- Traces without wait records.
unnamed AS (
  SELECT w.slice_id, w.trace_id, w.track_id, w.ts
  FROM wait_call AS w
  ANTI JOIN sync AS g ON g.trace_id = w.trace_id
),
marked AS (
  SELECT w.*, coalesce(r.ts, w.ts) AS recorded_ns
  FROM unnamed AS w
  ASOF LEFT JOIN (SELECT track_id, ts FROM call WHERE name LIKE '%EventRecord%') AS r
    ON r.track_id = w.track_id AND r.ts <= w.ts
),
thread_order AS (
  SELECT call_track_id, call_ns, min_by(slice_id, (start_ns, slice_id)) AS first_id
  FROM work
  GROUP BY call_track_id, call_ns
),
next_work AS (
  SELECT m.slice_id, m.recorded_ns, b.trace_id, b.caller_process_id, b.device_id, b.stream,
    b.slice_id AS to_id
  FROM marked AS m
  ASOF JOIN thread_order AS o ON o.call_track_id = m.track_id AND o.call_ns >= m.ts
  JOIN work AS b ON b.slice_id = o.first_id
),
stream_of AS (
  SELECT DISTINCT trace_id, caller_process_id, device_id, stream FROM work
),
stream_order AS (
  SELECT
    trace_id, caller_process_id, device_id, stream, call_ns,
    max_by(slice_id, (end_ns, slice_id)) AS last_id
  FROM work
  GROUP BY trace_id, caller_process_id, device_id, stream, call_ns
),
other_stream AS (
  SELECT n.slice_id, n.to_id, n.recorded_ns, s.*
  FROM next_work AS n
  JOIN stream_of AS s
    ON s.trace_id = n.trace_id
    AND s.caller_process_id = n.caller_process_id
    AND s.device_id = n.device_id
    AND s.stream <> n.stream
),
by_order AS (
  SELECT
    max_by(o.last_id, (o.call_ns, o.last_id)) AS from_id,
    any_value(n.to_id) AS to_id,
    'call_order' AS rule,
    0.5::DOUBLE AS confidence
  FROM other_stream AS n
  ASOF JOIN stream_order AS o
    ON o.trace_id = n.trace_id
    AND o.caller_process_id = n.caller_process_id
    AND o.device_id = n.device_id
    AND o.stream = n.stream
    AND o.call_ns <= n.recorded_ns
  GROUP BY n.slice_id
),
found AS (
  FROM recorded UNION ALL FROM by_order
)
SELECT
  f.from_id,
  f.to_id,
  'event_wait' AS kind,
  min_by(f.rule, -f.confidence) AS rule,
  max(f.confidence) AS confidence
FROM found AS f
JOIN work AS a ON a.slice_id = f.from_id
JOIN work AS b ON b.slice_id = f.to_id
WHERE a.end_ns <= b.start_ns
GROUP BY f.from_id, f.to_id
ORDER BY to_id, from_id
