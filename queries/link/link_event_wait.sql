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
requires = { schema = ">=1", rows = [
  "launch", "gpu_op",
  "launch where name LIKE '%StreamWaitEvent%' | gpu_op where sync_kind = 'Stream Wait Event'",
] }
scale = "trace"
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
track_process AS MATERIALIZED (
  SELECT id AS track_id, trace_id, coalesce(process_id, -1) AS process_id
  FROM track
  WHERE trace_id = $trace_id::BIGINT
),
-- Work is many rows: pairs of a stream and a calling thread have a number, and times are read again
-- where few rows are left.
stream_of_work AS (
  SELECT DISTINCT track_id, coalesce(device_id, -1) AS device_id, coalesce(stream, -1) AS stream
  FROM gpu_op
  CROSS JOIN any_wait
  WHERE trace_id = $trace_id::BIGINT
    AND dur > 0
    AND kind <> 'sync'
),
lane AS MATERIALIZED (
  SELECT
    (row_number() OVER (ORDER BY g.track_id, g.device_id, g.stream, q.track_id))::INTEGER AS lane_n,
    p.trace_id,
    p.process_id,
    q.process_id AS caller_process_id,
    q.track_id AS call_track_id,
    g.track_id,
    g.device_id,
    g.stream
  FROM stream_of_work AS g
  JOIN track_process AS p ON p.track_id = g.track_id
  JOIN track_process AS q ON q.trace_id = p.trace_id
  SEMI JOIN (SELECT DISTINCT track_id FROM launch WHERE trace_id = $trace_id::BIGINT) AS l
    ON l.track_id = q.track_id
),
-- The calls of all work are many: neither they nor the links to them are kept.
called AS (
  SELECT c.to_id, l.track_id, l.ts
  FROM launch AS l
  JOIN (
    SELECT from_id, to_id
    FROM link
    CROSS JOIN any_wait
    WHERE trace_id = $trace_id::BIGINT
      AND kind = 'launch'
      AND link_set = 'default'
  ) AS c ON c.from_id = l.slice_id
  WHERE l.trace_id = $trace_id::BIGINT
),
launched AS MATERIALIZED (
  SELECT g.slice_id, k.lane_n, l.ts AS call_ns
  FROM gpu_op AS g
  JOIN called AS l ON l.to_id = g.slice_id
  JOIN lane AS k
    ON k.track_id = g.track_id
    AND k.device_id = coalesce(g.device_id, -1)
    AND k.stream = coalesce(g.stream, -1)
    AND k.call_track_id = l.track_id
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.dur > 0
    AND g.kind <> 'sync'
),
time_of AS NOT MATERIALIZED (
  SELECT slice_id, ts AS start_ns, ts + dur AS end_ns
  FROM gpu_op
  WHERE trace_id = $trace_id::BIGINT
),
line AS MATERIALIZED (
  SELECT lane_n, trace_id, process_id, caller_process_id, call_track_id, device_id, stream
  FROM lane
  WHERE lane_n IN (SELECT DISTINCT lane_n FROM launched)
),
-- Kineto shows the streams of all processes on one track each: if several processes make calls,
-- work of one does not follow that of another.
several AS (
  SELECT trace_id
  FROM line
  GROUP BY trace_id
  HAVING min(caller_process_id) < max(caller_process_id) AND max(caller_process_id) >= 0
),
-- The records of events that others wait for.
mark AS (
  SELECT l.trace_id, l.correlation_id, l.ts
  FROM launch AS l
  SEMI JOIN sync AS g ON g.wait_on_correlation_id = l.correlation_id
  SEMI JOIN track_process AS p ON p.track_id = l.track_id
  WHERE l.trace_id = $trace_id::BIGINT
),
record_wait AS MATERIALIZED (
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
  JOIN (
    SELECT c.to_id, l.ts, p.process_id
    FROM launch AS l
    JOIN (
      SELECT from_id, to_id
      FROM link
      WHERE trace_id = $trace_id::BIGINT
        AND kind = 'sync_call'
        AND link_set = 'default'
        AND to_id IN (SELECT slice_id FROM sync)
    ) AS c ON c.from_id = l.slice_id
    JOIN track_process AS p ON p.track_id = l.track_id
    WHERE l.trace_id = $trace_id::BIGINT
  ) AS l ON l.to_id = g.slice_id
  JOIN track_process AS p ON p.track_id = g.track_id
  LEFT JOIN mark AS r
    ON r.trace_id = g.trace_id AND r.correlation_id = g.wait_on_correlation_id AND r.ts <= l.ts
  WHERE g.stream <> g.wait_on_stream
  GROUP BY g.slice_id, g.trace_id
),
-- Work of the streams that records name. Calls are searched first, and their work is read after
-- that, because most calls are next to no wait.
recorded_work AS MATERIALIZED (
  SELECT w.slice_id, n.trace_id, n.process_id, n.device_id, n.stream, n.caller_id, w.call_ns
  FROM launched AS w
  JOIN (
    SELECT
      n.*,
      CASE
        WHEN n.trace_id IN (SELECT trace_id FROM several) THEN n.caller_process_id ELSE -1
      END AS caller_id
    FROM line AS n
    SEMI JOIN (
      SELECT trace_id, stream FROM record_wait
      UNION ALL
      SELECT trace_id, wait_on_stream FROM record_wait
    ) AS e ON e.trace_id = n.trace_id AND e.stream = n.stream
  ) AS n ON n.lane_n = w.lane_n
),
recorded_call AS (
  SELECT w.*, o.call_ns AS next_ns
  FROM (
    SELECT e.*, o.call_ns AS last_ns
    FROM record_wait AS e
    ASOF JOIN recorded_work AS o
      ON o.trace_id = e.trace_id
      AND o.process_id = e.process_id
      AND o.caller_id = e.caller_id
      AND o.device_id = e.device_id
      AND o.stream = e.wait_on_stream
      AND o.call_ns <= e.recorded_ns
  ) AS w
  ASOF JOIN recorded_work AS o
    ON o.trace_id = w.trace_id
    AND o.process_id = w.process_id
    AND o.caller_id = w.caller_id
    AND o.device_id = w.device_id
    AND o.stream = w.stream
    AND o.call_ns >= w.call_ns
),
recorded_pair AS (
  SELECT w.slice_id, a.slice_id AS from_id, b.slice_id AS to_id
  FROM recorded_work AS a
  JOIN recorded_call AS w
    ON w.trace_id = a.trace_id
    AND w.process_id = a.process_id
    AND w.caller_id = a.caller_id
    AND w.device_id = a.device_id
    AND w.wait_on_stream = a.stream
    AND w.last_ns = a.call_ns
  JOIN recorded_work AS b
    ON b.trace_id = w.trace_id
    AND b.process_id = w.process_id
    AND b.caller_id = w.caller_id
    AND b.device_id = w.device_id
    AND b.stream = w.stream
    AND b.call_ns = w.next_ns
),
recorded AS (
  SELECT
    max_by(w.from_id, (w.end_ns, w.from_id)) AS from_id,
    min_by(w.to_id, (b.start_ns, w.to_id)) AS to_id,
    'cuda_sync' AS rule,
    1::DOUBLE AS confidence
  FROM time_of AS b
  JOIN (
    SELECT w.*, a.end_ns
    FROM time_of AS a
    JOIN recorded_pair AS w ON w.from_id = a.slice_id
  ) AS w ON w.to_id = b.slice_id
  GROUP BY w.slice_id
),
-- Traces without wait records.
unnamed AS (
  SELECT w.slice_id, w.trace_id, w.track_id, w.ts
  FROM wait_call AS w
  ANTI JOIN sync AS g ON g.trace_id = w.trace_id
),
marked AS MATERIALIZED (
  SELECT w.*, coalesce(r.ts, w.ts) AS recorded_ns
  FROM unnamed AS w
  ASOF LEFT JOIN (
    SELECT l.track_id, l.ts
    FROM launch AS l
    SEMI JOIN unnamed AS w ON w.track_id = l.track_id
    WHERE l.trace_id = $trace_id::BIGINT
      AND l.name LIKE '%EventRecord%'
  ) AS r
    ON r.track_id = w.track_id AND r.ts <= w.ts
),
marking AS MATERIALIZED (
  SELECT n.*
  FROM line AS n
  SEMI JOIN marked AS m ON m.track_id = n.call_track_id
),
-- Sorting all calls would take long. The first one after an instant is among those of the same four
-- milliseconds, or the first of some later ones.
next_call AS (
  SELECT m.slice_id, m.track_id, m.recorded_ns, w.call_ns
  FROM marked AS m
  ASOF JOIN (
    SELECT n.call_track_id, w.call_ns
    FROM launched AS w
    JOIN marking AS n ON n.lane_n = w.lane_n
    SEMI JOIN marked AS m ON m.track_id = n.call_track_id AND (m.ts >> 22) = (w.call_ns >> 22)
    UNION ALL
    SELECT n.call_track_id, min(w.call_ns)
    FROM launched AS w
    JOIN marking AS n ON n.lane_n = w.lane_n
    GROUP BY n.call_track_id, w.call_ns >> 22
  ) AS w ON w.call_track_id = m.track_id AND w.call_ns >= m.ts
),
next_work AS (
  SELECT
    w.wait_id,
    any_value(w.recorded_ns) AS recorded_ns,
    any_value(w.trace_id) AS trace_id,
    any_value(w.caller_process_id) AS caller_process_id,
    min_by(w.device_id, (t.start_ns, w.slice_id)) AS device_id,
    min_by(w.stream, (t.start_ns, w.slice_id)) AS stream,
    min_by(w.slice_id, (t.start_ns, w.slice_id)) AS to_id
  FROM time_of AS t
  JOIN (
    SELECT b.slice_id, n.slice_id AS wait_id, n.recorded_ns, k.*
    FROM launched AS b
    JOIN marking AS k ON k.lane_n = b.lane_n
    JOIN next_call AS n ON n.track_id = k.call_track_id AND n.call_ns = b.call_ns
  ) AS w ON w.slice_id = t.slice_id
  GROUP BY w.wait_id
),
marked_line AS MATERIALIZED (
  SELECT *
  FROM line
  WHERE trace_id IN (SELECT trace_id FROM marked)
),
stream_of AS (
  SELECT DISTINCT trace_id, caller_process_id, device_id, stream
  FROM marked_line
),
other_stream AS (
  SELECT n.wait_id, n.to_id, n.recorded_ns, s.*
  FROM next_work AS n
  JOIN stream_of AS s
    ON s.trace_id = n.trace_id
    AND s.caller_process_id = n.caller_process_id
    AND s.device_id = n.device_id
    AND s.stream <> n.stream
),
-- Likewise for the last one before an instant.
other_call AS (
  SELECT n.*, w.call_ns
  FROM other_stream AS n
  ASOF JOIN (
    SELECT n.trace_id, n.caller_process_id, n.device_id, n.stream, w.call_ns
    FROM launched AS w
    JOIN marked_line AS n ON n.lane_n = w.lane_n
    SEMI JOIN marked AS m
      ON m.trace_id = n.trace_id AND (m.recorded_ns >> 22) = (w.call_ns >> 22)
    UNION ALL
    SELECT n.trace_id, n.caller_process_id, n.device_id, n.stream, w.call_ns
    FROM (SELECT lane_n, max(call_ns) AS call_ns FROM launched GROUP BY lane_n, call_ns >> 22) AS w
    JOIN marked_line AS n ON n.lane_n = w.lane_n
  ) AS w
    ON w.trace_id = n.trace_id
    AND w.caller_process_id = n.caller_process_id
    AND w.device_id = n.device_id
    AND w.stream = n.stream
    AND w.call_ns <= n.recorded_ns
),
other_work AS (
  SELECT
    w.wait_id,
    w.call_ns,
    any_value(w.to_id) AS to_id,
    max_by(w.slice_id, (t.end_ns, w.slice_id)) AS last_id
  FROM time_of AS t
  JOIN (
    SELECT w.slice_id, o.wait_id, o.stream, o.call_ns, o.to_id
    FROM launched AS w
    JOIN marked_line AS n ON n.lane_n = w.lane_n
    JOIN other_call AS o
      ON o.trace_id = n.trace_id
      AND o.caller_process_id = n.caller_process_id
      AND o.device_id = n.device_id
      AND o.stream = n.stream
      AND o.call_ns = w.call_ns
  ) AS w ON w.slice_id = t.slice_id
  GROUP BY w.wait_id, w.stream, w.call_ns
),
by_order AS (
  SELECT
    max_by(last_id, (call_ns, last_id)) AS from_id,
    any_value(to_id) AS to_id,
    'call_order' AS rule,
    0.5::DOUBLE AS confidence
  FROM other_work
  GROUP BY wait_id
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
FROM time_of AS b
JOIN (
  SELECT f.*, a.end_ns
  FROM time_of AS a
  JOIN found AS f ON f.from_id = a.slice_id
) AS f ON f.to_id = b.slice_id
WHERE f.end_ns <= b.start_ns
GROUP BY f.from_id, f.to_id
ORDER BY to_id, from_id
