/* ---
name = "replay_piece"
version = 1
title = "Host threads, cut where they queue work, wait, or hand over to another thread"
help = """
Pieces of a thread follow each other from its first slice to its last; the first one has
duration 0, unless another thread hands over to it. A
piece that ends with a wait contains the time since what it waited for only (replay_wait). Threads
without operators, calls and steps are left out, and those whose operators all run inside work of a
communication library. Times are on the time axis of slice.ts.
"""
grain = ["track_id", "end_ns"]
requires = { schema = ">=17", queries = ["replay_reducer@1", "replay_trace@1", "replay_wait@1", "replay_work@1"] }
scale = "run"
computed_once = true
columns = ["trace_id", "run_id", "track_id", "start_ns", "end_ns", "is_released", "dur_ns", "call_id", "name", "role", "bytes"]

[column]
track_id.help = "Thread"
start_ns.help = "Start"
end_ns.help = "End; of no other piece of the thread"
is_released = { type = "BOOLEAN", unit = "bool", help = "Whether it is the first of its thread, and no other thread hands over to it" }
dur_ns.help = "Duration without waiting"
call_id = { nullable = true, help = "Call that queues work or waits, or copy of a gradient, which begins with the piece" }
name.help = "Name of that call"
role = { type = "VARCHAR", unit = "text", help = "host, call, gradient or copy (replay_reducer)" }
bytes.help = "Size of the gradient"

[changes]
1 = "first version"
--- */
WITH library_work AS (
  SELECT track_id, ts AS start_ns, ts + greatest(dur, 0) AS end_ns
  FROM whole_collective
  WHERE side = 'host' AND name <> 'record_param_comms'
),
thread AS (
  SELECT DISTINCT track_id FROM whole_launch
  UNION
  -- Operators inside work of a communication library belong to that work: its thread idles between.
  SELECT DISTINCT o.track_id
  FROM whole_cpu_op AS o
  ASOF LEFT JOIN library_work AS w ON w.track_id = o.track_id AND w.start_ns <= o.ts
  WHERE w.end_ns IS NULL OR o.ts >= w.end_ns
  UNION
  SELECT DISTINCT track_id FROM step
),
host AS MATERIALIZED (
  SELECT k.id AS track_id, t.trace_id, t.run_id
  FROM track AS k
  JOIN replay_trace() AS t ON t.trace_id = k.trace_id
  SEMI JOIN thread AS h ON h.track_id = k.id
  WHERE k.kind = 'thread'
),
call AS MATERIALIZED (
  SELECT DISTINCT call_id, call_track_id AS track_id, call_ns AS start_ns
  FROM replay_work()
  WHERE call_ns IS NOT NULL
),
waiting AS MATERIALIZED (
  SELECT track_id, at_ns, any_value(call_id) AS call_id, any_value(call_ns) AS call_ns,
    max(cause_end_ns) AS cause_end_ns
  FROM replay_wait()
  GROUP BY track_id, at_ns
),
extent AS (
  SELECT s.track_id, min(s.ts) AS start_ns, max(s.ts + greatest(s.dur, 0)) AS end_ns
  FROM whole_slice AS s
  SEMI JOIN host AS h ON h.track_id = s.track_id
  GROUP BY s.track_id
),
cut AS (
  SELECT track_id, start_ns AS at_ns FROM extent
  UNION
  SELECT track_id, end_ns FROM extent
  UNION
  SELECT track_id, start_ns FROM call
  UNION
  SELECT c.track_id, c.start_ns + greatest(s.dur, 0)
  FROM call AS c
  JOIN whole_slice AS s ON s.id = c.call_id
  UNION
  SELECT track_id, at_ns FROM waiting
  UNION
  SELECT track_id, call_ns FROM waiting WHERE call_ns IS NOT NULL
  UNION
  SELECT from_track_id, cause_end_ns FROM replay_wait() WHERE from_track_id IS NOT NULL
  UNION
  SELECT track_id, start_ns FROM replay_reducer()
  UNION
  SELECT track_id, end_ns FROM replay_reducer()
  UNION
  SELECT track_id, ts FROM step
  UNION
  SELECT track_id, ts + greatest(dur, 0) FROM step
),
piece AS (
  SELECT
    c.track_id,
    coalesce(lag(c.at_ns) OVER thread, c.at_ns) AS start_ns,
    c.at_ns AS end_ns,
    lag(c.at_ns) OVER thread IS NULL AS is_first
  FROM cut AS c
  WINDOW thread AS (PARTITION BY c.track_id ORDER BY c.at_ns)
),
named AS (
  SELECT
    track_id, start_ns, max(call_id) AS call_id, coalesce(max(role), 'call') AS role, max(bytes) AS bytes
  FROM (
    SELECT track_id, start_ns, call_id, NULL AS role, NULL::BIGINT AS bytes FROM call
    UNION ALL
    SELECT track_id, call_ns, call_id, NULL, NULL FROM waiting WHERE call_id IS NOT NULL
    UNION ALL
    SELECT track_id, start_ns, slice_id, role, bytes FROM replay_reducer()
  )
  GROUP BY track_id, start_ns
)
SELECT
  h.trace_id,
  h.run_id,
  p.track_id,
  p.start_ns,
  p.end_ns,
  p.is_first AND w.track_id IS NULL AS is_released,
  p.end_ns - CASE WHEN p.is_first THEN coalesce(w.cause_end_ns, p.end_ns)
    ELSE greatest(p.start_ns, coalesce(w.cause_end_ns, p.start_ns))
  END AS dur_ns,
  CASE WHEN NOT p.is_first THEN n.call_id END AS call_id,
  CASE WHEN NOT p.is_first THEN s.name END AS name,
  CASE WHEN NOT p.is_first THEN coalesce(n.role, 'host') ELSE 'host' END AS role,
  CASE WHEN NOT p.is_first THEN n.bytes END AS bytes
FROM piece AS p
JOIN host AS h ON h.track_id = p.track_id
LEFT JOIN waiting AS w ON w.track_id = p.track_id AND w.at_ns = p.end_ns
LEFT JOIN named AS n ON n.track_id = p.track_id AND n.start_ns = p.start_ns
LEFT JOIN whole_slice AS s ON s.id = n.call_id
ORDER BY p.track_id, p.end_ns
