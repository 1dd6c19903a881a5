/* ---
name = "replay_wait"
version = 1
title = "Where host threads continue after something else has ended"
help = """
A call that waits for work (links of kind wait) returns after it; a thread to which another hands over
(hand_over) continues after the last slice of the other; what a communication library's work was waited
for by continues after it. A wait that was over before it began is one, too: with other durations the
same call would wait. Times are on the time axis of slice.ts.
"""
grain = ["track_id", "at_ns", "from_id"]
requires = { schema = ">=17", queries = ["replay_awaited@1", "replay_trace@1", "replay_work@1"] }
scale = "run"
computed_once = true
columns = [
  "trace_id", "track_id", "at_ns", "call_id", "call_ns", "from_id", "from_track_id", "cause_end_ns", "kind", "link_id",
]

[column]
track_id.help = "Thread that waits"
at_ns = { type = "BIGINT", unit = "ns", help = "When it continues" }
call_id = { nullable = true, help = "Call that waits; NULL: the thread has a pause" }
call_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Start of the call" }
from_id = { type = "BIGINT", unit = "ref slice.id", help = "Work, or slice of another thread, waited for" }
from_track_id = { type = "BIGINT", unit = "ref track.id", nullable = true, help = "Thread that hands over; NULL: waits for work" }
cause_end_ns = { type = "BIGINT", unit = "ns", help = "End of what is waited for; of operations whose record ends later, at_ns" }
kind.help = "wait or hand_over"
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link between both" }

[changes]
1 = "first version"
--- */
WITH thread AS (
  SELECT id AS track_id FROM track WHERE kind = 'thread'
),
work AS (
  SELECT slice_id, trace_id, device_id, start_ns, end_ns FROM replay_work()
),
wait AS (
  SELECT l.id, l.from_id, l.to_id, l.rule
  FROM whole_link AS l
  WHERE l.kind = 'wait' AND l.link_set = 'default'
),
-- Waits by records, also for what was over before.
awaited AS (
  SELECT a.call_id, a.from_id
  FROM replay_awaited() AS a
  ANTI JOIN wait AS l ON l.to_id = a.call_id AND l.from_id = a.from_id
  WHERE a.to_id IS NULL
),
hand_over AS (
  SELECT l.id, l.from_id, l.to_id
  FROM whole_link AS l
  WHERE l.kind = 'hand_over' AND l.link_set = 'default'
),
by_link AS (
  SELECT
    s.trace_id,
    s.track_id,
    CASE WHEN l.rule = 'communication' THEN s.ts ELSE s.ts + greatest(s.dur, 0) END AS at_ns,
    CASE WHEN l.rule <> 'communication' THEN s.id END AS call_id,
    CASE WHEN l.rule <> 'communication' THEN s.ts END AS call_ns,
    w.slice_id AS from_id,
    NULL::BIGINT AS from_track_id,
    CASE WHEN l.rule = 'communication' THEN least(w.end_ns, s.ts) ELSE w.end_ns END AS cause_end_ns,
    w.start_ns AS cause_start_ns,
    'wait' AS kind,
    l.id AS link_id
  FROM wait AS l
  JOIN work AS w ON w.slice_id = l.from_id
  JOIN whole_slice AS s ON s.id = l.to_id
  SEMI JOIN thread AS k ON k.track_id = s.track_id
  UNION ALL
  SELECT DISTINCT
    s.trace_id, s.track_id, s.ts + greatest(s.dur, 0), s.id, s.ts, w.slice_id, NULL::BIGINT, w.end_ns, w.start_ns,
    'wait', NULL::BIGINT
  FROM awaited AS a
  JOIN work AS w ON w.slice_id = a.from_id
  JOIN whole_slice AS s ON s.id = a.call_id
  SEMI JOIN thread AS k ON k.track_id = s.track_id
  UNION ALL
  SELECT
    s.trace_id, s.track_id, s.ts, NULL, NULL, f.id, f.track_id, f.ts + greatest(f.dur, 0), f.ts, 'hand_over', l.id
  FROM hand_over AS l
  JOIN whole_slice AS s ON s.id = l.to_id
  JOIN whole_slice AS f ON f.id = l.from_id
)
SELECT
  b.trace_id, b.track_id, b.at_ns, b.call_id, b.call_ns, b.from_id, b.from_track_id, b.cause_end_ns, b.kind,
  b.link_id
FROM by_link AS b
SEMI JOIN replay_trace() AS t ON t.trace_id = b.trace_id
WHERE b.cause_end_ns <= b.at_ns
  AND b.cause_start_ns < b.at_ns
ORDER BY b.trace_id, b.track_id, b.at_ns, b.from_id
