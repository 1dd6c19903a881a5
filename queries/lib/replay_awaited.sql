/* ---
name = "replay_awaited"
version = 1
title = "Work that recorded waits depend on, also where it was over before the wait"
help = """
A wait record (cuda_sync) is over when the last work launched before it on each stream that it names has
ended, and what that stream itself waited for since then by events. With other durations this may be
other work than the last to end as recorded, which links of kind wait and event_wait name.
"""
grain = ["record_id", "from_id"]
requires = { schema = ">=17", rows = ["whole_gpu_op"], queries = ["replay_work@1"] }
scale = "run"
computed_once = true
columns = ["record_id", "call_id", "from_id", "to_id"]

[column]
record_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the record" }
call_id.help = "Call that waits, or makes a stream wait"
from_id = { type = "BIGINT", unit = "ref slice.id", help = "Work waited for" }
to_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "First work of the stream that waits; NULL: the call waits" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE caller AS (
  SELECT k.trace_id, min(k.process_id) < max(k.process_id) AS is_several
  FROM (SELECT DISTINCT call_track_id FROM replay_work()) AS w
  JOIN track AS k ON k.id = w.call_track_id
  GROUP BY k.trace_id
),
work AS MATERIALIZED (
  SELECT
    w.slice_id, w.trace_id, g.device_id, g.stream,
    CASE WHEN c.is_several THEN k.process_id ELSE -1 END AS caller_id,
    w.call_ns, w.start_ns, w.end_ns
  FROM replay_work() AS w
  JOIN whole_gpu_op AS g ON g.slice_id = w.slice_id
  JOIN track AS k ON k.id = w.call_track_id
  JOIN caller AS c ON c.trace_id = w.trace_id
  WHERE w.call_ns IS NOT NULL AND g.stream IS NOT NULL
),
launched AS MATERIALIZED (
  SELECT
    trace_id, device_id, caller_id, stream, call_ns,
    max_by(slice_id, (end_ns, slice_id)) AS last_id,
    min_by(slice_id, (start_ns, slice_id)) AS first_id
  FROM work
  GROUP BY trace_id, device_id, caller_id, stream, call_ns
),
record AS MATERIALIZED (
  SELECT
    g.slice_id, g.trace_id, g.device_id, g.stream, g.wait_on_stream, g.sync_kind, l.slice_id AS call_id,
    CASE WHEN c.is_several THEN k.process_id ELSE -1 END AS caller_id,
    l.ts AS call_ns,
    coalesce(max(r.ts), any_value(l.ts)) AS recorded_ns
  FROM whole_gpu_op AS g
  JOIN whole_link AS a ON a.to_id = g.slice_id AND a.kind = 'sync_call' AND a.link_set = 'default'
  JOIN whole_launch AS l ON l.slice_id = a.from_id AND l.name NOT LIKE '%Query%'
  JOIN track AS k ON k.id = l.track_id
  JOIN caller AS c ON c.trace_id = g.trace_id
  LEFT JOIN whole_launch AS r
    ON r.trace_id = g.trace_id AND r.correlation_id = g.wait_on_correlation_id AND r.ts <= l.ts
  WHERE g.kind = 'sync'
  GROUP BY ALL
),
-- Streams that a record names, and up to when.
point AS MATERIALIZED (
  SELECT
    r.slice_id, r.trace_id, r.device_id, r.caller_id, s.stream,
    CASE WHEN r.sync_kind IN ('Stream Sync', 'Context Sync') THEN r.call_ns ELSE r.recorded_ns END AS upto_ns
  FROM record AS r
  JOIN (SELECT DISTINCT trace_id, device_id, caller_id, stream FROM work) AS s
    ON s.trace_id = r.trace_id AND s.device_id = r.device_id AND s.caller_id = r.caller_id
    AND CASE r.sync_kind
      WHEN 'Stream Sync' THEN s.stream = r.stream
      WHEN 'Context Sync' THEN true
      WHEN 'Event Sync' THEN s.stream = r.wait_on_stream
      WHEN 'Stream Wait Event' THEN s.stream = r.wait_on_stream AND r.stream <> r.wait_on_stream
      ELSE false
    END
),
reached AS MATERIALIZED (
  SELECT p.*, l.last_id, coalesce(l.call_ns, -1) AS last_call_ns
  FROM point AS p
  ASOF LEFT JOIN launched AS l
    ON l.trace_id = p.trace_id AND l.device_id = p.device_id AND l.caller_id = p.caller_id
    AND l.stream = p.stream AND l.call_ns <= p.upto_ns
),
event AS MATERIALIZED (
  SELECT r.slice_id, r.trace_id, r.device_id, r.caller_id, r.stream, r.call_ns, l.first_id, l.call_ns AS next_ns
  FROM record AS r
  ASOF LEFT JOIN launched AS l
    ON l.trace_id = r.trace_id AND l.device_id = r.device_id AND l.caller_id = r.caller_id
    AND l.stream = r.stream AND l.call_ns >= r.call_ns
  WHERE r.sync_kind = 'Stream Wait Event' AND r.stream <> r.wait_on_stream
),
-- Waits of a stream after which nothing was launched there before a record names it.
open_event AS MATERIALIZED (
  SELECT e.*
  FROM event AS e
  ASOF JOIN (SELECT DISTINCT trace_id, device_id, caller_id, stream, upto_ns FROM point) AS p
    ON p.trace_id = e.trace_id AND p.device_id = e.device_id AND p.caller_id = e.caller_id
    AND p.stream = e.stream AND p.upto_ns >= e.call_ns
  WHERE e.next_ns IS NULL OR p.upto_ns < e.next_ns
),
pending AS MATERIALIZED (
  SELECT r.slice_id, e.slice_id AS event_id
  FROM reached AS r
  JOIN open_event AS e
    ON e.trace_id = r.trace_id AND e.device_id = r.device_id AND e.caller_id = r.caller_id
    AND e.stream = r.stream AND e.call_ns <= r.upto_ns AND e.call_ns > r.last_call_ns
    AND e.slice_id <> r.slice_id
),
closure AS (
  SELECT DISTINCT slice_id, slice_id AS event_id FROM reached
  UNION
  SELECT c.slice_id, p.event_id
  FROM closure AS c
  JOIN pending AS p ON p.slice_id = c.event_id
)
SELECT DISTINCT c.slice_id AS record_id, r.call_id, s.last_id AS from_id, e.first_id AS to_id
FROM closure AS c
JOIN reached AS s ON s.slice_id = c.event_id
JOIN record AS r ON r.slice_id = c.slice_id
LEFT JOIN event AS e ON e.slice_id = c.slice_id
WHERE s.last_id IS NOT NULL AND (e.slice_id IS NULL OR e.first_id IS NOT NULL)
ORDER BY record_id, from_id
