/* ---
name = "critical_path_segment"
version = 3
title = "Critical path of one step as contiguous intervals without overlap"
help = """
The step is walked backwards from its end, always to the operation that ended last among those that
had to end first: device work started after the previous work on its stream, after its call, and
after the work that its stream waited for (links of kind event_wait); a host thread continued after a
wait (links of kind wait) when the awaited work had ended; the threads of autograd and of the forward pass hand
over to each other (links of kind hand_over); an idle thread of a communication library begins an operation
after its call (links of kind enqueue), and a thread that is idle when an operation ends which it needs goes
on after it (links of kind wait); anything else on a host thread follows the preceding slice there. Where no call is recorded, the operator of the work stands for it (links of
kind op_device); its thread also stands for that of a call during it that is recorded on none of its own. The intervals of one step cover it exactly, from its start on the host to its
end there, or to the end of the last device work launched in it if that is later.

Work of duration 0 never delays anything. Without links of kind wait, waiting counts as time of the
waiting call.

With several processes in a trace, the path is that of the process of the step: work that another
one launched is not on it. A time window chooses among the steps that run in it; their paths are
whole. Without steps, the path is that of the slices that run in the window.
"""
grain = ["trace_id", "start_ns"]
requires = { schema = ">=1", queries = ["launched_op@1"] }
scale = "trace"
columns = ["trace_id", "range_id", "step", "start_ns", "end_ns", "kind", "slice_id", "track_id"]

[param.step]
type = "BIGINT"
nullable = true
help = "Step number; the first step that has it. NULL: the longest step of each trace, or the whole of a trace without steps"

[param.range_name]
type = "VARCHAR"
nullable = true
help = "Analyze the host annotations with this name, numbered from 0 in order of time, instead of steps"

[column]
range_id = { nullable = true, help = "Step or annotation; NULL: the whole trace" }
step.help = "Step number; NULL if the step has none"
start_ns.help = "Start of the interval, on the time axis of slice.ts"
end_ns.help = "End of the interval and start of the next one"
track_id.help = "Track of the slice"

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('host', 'launch_delay', 'device', 'device_gap', 'stream_wait', 'sync', 'hand_over')"
help = "host: a working thread; launch_delay: from the start of a call to that of its device work, or of its operation on a thread of a communication library; device: device work; device_gap: between work of one stream; stream_wait: from the end of the work that an event wait waited for; sync: from the end of the work a call waited for to the end of the call, or to the start of what went on after it; hand_over: between the threads of the forward and the backward pass"

[column.slice_id]
nullable = true
help = "Slice that the time belongs to: the device work; the work that began after a delay or gap; the call that waited, or what went on; on a host thread the innermost slice, NULL outside slices"

[changes]
3 = "also leads through communication on threads of the host"
2 = "traces without steps have a path over the whole trace"
1 = "first version"
--- */
-- What launched device work: its call, or its operator where no call is recorded.
WITH RECURSIVE called AS MATERIALIZED (
  SELECT slice_id, trace_id, call_track_id AS track_id, call_ts AS ts
  FROM launched_op()
  WHERE call_ts IS NOT NULL
),
work_call AS NOT MATERIALIZED (
  SELECT l.slice_id AS to_id, l.trace_id, coalesce(o.track_id, l.track_id) AS track_id, l.ts
  FROM called AS l
  LEFT JOIN (
    SELECT d.to_id, p.track_id, p.ts, p.dur
    FROM whole_link AS d
    JOIN whole_cpu_op AS p ON p.slice_id = d.from_id
    WHERE d.kind = 'op_device' AND d.link_set = 'default' AND d.rule = 'name'
      AND p.track_id IN (SELECT id FROM track WHERE kind = 'thread')
  ) AS o
    ON o.to_id = l.slice_id AND o.ts <= l.ts AND l.ts < o.ts + o.dur
  UNION ALL
  SELECT d.to_id, o.trace_id, o.track_id, o.ts
  FROM whole_link AS d
  JOIN whole_cpu_op AS o ON o.slice_id = d.from_id
  WHERE d.kind = 'op_device' AND d.link_set = 'default'
    AND o.track_id IN (SELECT id FROM track WHERE kind = 'thread')
    AND d.to_id NOT IN (SELECT slice_id FROM called)
),
named_range AS (
  SELECT slice_id, trace_id, track_id, ts, greatest(dur, 0) AS dur, number
  FROM step
  WHERE $range_name::VARCHAR IS NULL
  UNION ALL
  SELECT
    slice_id,
    trace_id,
    track_id,
    ts,
    greatest(dur, 0) AS dur,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) - 1 AS number
  FROM annotation
  WHERE side = 'host' AND name = $range_name::VARCHAR
  UNION ALL
  -- Without steps, the whole trace, seen from the thread with most calls: its process from the
  -- first start to the last end on a thread.
  SELECT NULL, h.trace_id, m.id, min(h.ts), max(h.ts + greatest(h.dur, 0)) - min(h.ts), NULL
  FROM (
    SELECT trace_id, max_by(track_id, (n_calls, -track_id)) AS track_id
    FROM (
      SELECT trace_id, track_id, count(*) AS n_calls
      FROM (
        SELECT trace_id, track_id FROM launch
        UNION ALL
        -- Without calls, the thread whose operators most device work belongs to.
        SELECT w.trace_id, w.track_id
        FROM work_call AS w
        WHERE w.trace_id NOT IN (SELECT trace_id FROM launch)
      )
      GROUP BY trace_id, track_id
    )
    GROUP BY trace_id
  ) AS c
  JOIN track AS m ON m.id = c.track_id
  JOIN track AS k
    ON k.trace_id = m.trace_id AND k.kind = 'thread' AND k.process_id IS NOT DISTINCT FROM m.process_id
  JOIN slice AS h ON h.track_id = k.id
  WHERE $range_name::VARCHAR IS NULL
    AND $step::BIGINT IS NULL
    AND h.trace_id NOT IN (SELECT trace_id FROM step)
  GROUP BY h.trace_id, m.id
),
placed_range AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id
      ORDER BY CASE WHEN $step::BIGINT IS NULL THEN dur END DESC, ts, slice_id
    ) AS place
  FROM named_range
  WHERE $step::BIGINT IS NULL OR number = $step::BIGINT
),
host_range AS MATERIALIZED (
  SELECT
    r.trace_id,
    r.slice_id AS range_id,
    r.number AS step,
    r.track_id,
    k.process_id,
    r.ts AS start_ns,
    r.ts + r.dur AS host_end_ns
  FROM placed_range AS r
  LEFT JOIN track AS k ON k.id = r.track_id
  WHERE r.place = 1
),
-- Calls of its process that begin in the step, and the work they caused.
own_call AS MATERIALIZED (
  SELECT l.to_id, r.trace_id
  FROM work_call AS l
  LEFT JOIN track AS k ON k.id = l.track_id
  JOIN host_range AS r
    ON r.trace_id = l.trace_id
    AND l.ts >= r.start_ns
    AND l.ts < r.host_end_ns
    AND coalesce(k.process_id, r.process_id, -1) = coalesce(r.process_id, k.process_id, -1)
),
own_work AS (
  SELECT l.trace_id, max(g.ts + g.dur) AS end_ns
  FROM whole_gpu_op AS g
  JOIN (SELECT * FROM own_call WHERE to_id >= 0 AND trace_id >= 0) AS l ON l.to_id = g.slice_id
  WHERE g.dur > 0 AND g.kind <> 'sync'
  GROUP BY l.trace_id
),
window_of AS MATERIALIZED (
  SELECT r.*, greatest(r.host_end_ns, coalesce(w.end_ns, r.host_end_ns)) AS end_ns
  FROM host_range AS r
  LEFT JOIN own_work AS w ON w.trace_id = r.trace_id
),

-- Device work that runs during that time, including work of other steps, with its launching call.
running AS (
  SELECT
    g.slice_id,
    g.trace_id,
    g.track_id,
    coalesce(k.process_id, -1) AS process_id,
    coalesce(g.device_id, -1) AS device_id,
    coalesce(g.stream, -1) AS stream,
    g.ts AS start_ns,
    g.ts + g.dur AS end_ns
  FROM whole_gpu_op AS g
  JOIN window_of AS w
    ON w.trace_id = g.trace_id AND g.ts < w.end_ns AND g.ts + g.dur > w.start_ns
  LEFT JOIN track AS k ON k.id = g.track_id
  WHERE g.dur > 0 AND g.kind <> 'sync'
),
work AS MATERIALIZED (
  SELECT
    d.*,
    l.ts AS call_ns,
    l.track_id AS call_track_id,
    -- Kineto shows the streams of all processes on one track each: if several processes make calls,
    -- work of one does not follow that of another.
    CASE
      WHEN min(k.process_id) OVER callers < max(k.process_id) OVER callers
        THEN coalesce(k.process_id, -1)
      ELSE -1
    END AS caller_id
  FROM running AS d
  LEFT JOIN work_call AS l ON l.to_id = d.slice_id
  LEFT JOIN track AS k ON k.id = l.track_id
  WINDOW callers AS (PARTITION BY d.trace_id)
),
-- The last to end on a stream; of work that ends at the same time, the longest.
stream_end AS (
  SELECT
    track_id, caller_id, stream, end_ns,
    -- Starts are 2^64 apart, so that one key orders them and the slices that start together.
    (min(start_ns * 18446744073709551616 + slice_id) - min(start_ns) * 18446744073709551616)::BIGINT
      AS slice_id
  FROM work
  GROUP BY track_id, caller_id, stream, end_ns
),
-- An event wait: the stream continues after the work launched before the event was recorded.
after_event AS (
  SELECT b.slice_id, max(a.end_ns) AS at_ns, min_by(a.slice_id, (-a.end_ns, a.slice_id)) AS before_id
  FROM whole_link AS c
  JOIN work AS a ON a.slice_id = c.from_id
  JOIN work AS b ON b.slice_id = c.to_id
  WHERE c.kind = 'event_wait' AND c.link_set = 'default' AND a.end_ns <= b.start_ns
  GROUP BY b.slice_id
),
-- Operations that must end before a piece of work.
work_candidate AS (
  SELECT
    w.slice_id,
    p.slice_id AS stream_id,
    p.end_ns AS stream_ns,
    e.before_id AS event_id,
    e.at_ns AS event_ns,
    CASE WHEN w.call_ns <= w.start_ns THEN w.call_ns END AS call_ns
  FROM work AS w
  ASOF LEFT JOIN stream_end AS p
    ON p.track_id = w.track_id
    AND p.caller_id = w.caller_id
    AND p.stream = w.stream
    AND p.end_ns <= w.start_ns
  LEFT JOIN after_event AS e ON e.slice_id = w.slice_id
),
-- The last of them to end.
work_cause AS (
  SELECT
    slice_id,
    CASE at_ns WHEN stream_ns THEN stream_id WHEN event_ns THEN event_id ELSE 0 END AS before_id,
    at_ns,
    CASE at_ns WHEN stream_ns THEN 'device_gap' WHEN event_ns THEN 'stream_wait' ELSE 'launch_delay' END
      AS kind
  FROM (SELECT *, greatest(stream_ns, event_ns, call_ns) AS at_ns FROM work_candidate)
  WHERE at_ns IS NOT NULL
),

-- Host threads during that time.
host_slice AS MATERIALIZED (
  SELECT
    s.id AS slice_id,
    s.trace_id,
    s.track_id,
    s.ts AS start_ns,
    s.ts + greatest(s.dur, 0) AS end_ns,
    s.depth,
    s.parent_id
  FROM whole_slice AS s
  JOIN window_of AS w
    ON w.trace_id = s.trace_id AND s.ts <= w.end_ns AND s.ts + greatest(s.dur, 0) >= w.start_ns
  SEMI JOIN (SELECT id FROM track WHERE kind = 'thread') AS k ON k.id = s.track_id
),
host_track AS MATERIALIZED (
  SELECT DISTINCT trace_id, track_id FROM host_slice
),
-- A call that waited, with the work whose end released it.
blocked_call AS (
  SELECT
    h.slice_id AS node,
    h.trace_id,
    h.track_id,
    h.end_ns,
    max_by(d.slice_id, (d.end_ns, d.slice_id)) AS before_id,
    least(max(d.end_ns), h.end_ns) AS at_ns
  FROM host_slice AS h
  JOIN whole_link AS c ON c.to_id = h.slice_id AND c.kind = 'wait' AND c.link_set = 'default'
  JOIN work AS d ON d.slice_id = c.from_id
  WHERE d.end_ns > h.start_ns AND coalesce(d.call_ns, h.start_ns) <= h.start_ns
    AND d.start_ns < h.end_ns
  GROUP BY h.slice_id, h.trace_id, h.track_id, h.end_ns
  UNION ALL
  -- What began during the call, on other threads: the last to end is device work.
  SELECT h.slice_id, h.trace_id, h.track_id, h.end_ns, d.slice_id, least(d.end_ns, h.end_ns)
  FROM host_slice AS h
  JOIN whole_link AS c ON c.to_id = h.slice_id AND c.kind = 'join' AND c.link_set = 'default'
  JOIN work AS d ON d.slice_id = c.from_id
),
-- Communication on the host: a slice, and when what it followed on another thread was over.
communicated AS (
  SELECT
    h.slice_id, h.trace_id, h.track_id, h.start_ns, f.track_id AS other_id,
    CASE c.kind WHEN 'enqueue' THEN 'launch_delay' ELSE 'sync' END AS kind,
    CASE c.kind WHEN 'enqueue' THEN f.ts ELSE least(f.ts + greatest(f.dur, 0), h.start_ns) END AS at_ns
  FROM whole_link AS c
  JOIN host_slice AS h ON h.slice_id = c.to_id
  JOIN whole_slice AS f ON f.id = c.from_id
  WHERE c.link_set = 'default'
    AND (c.kind = 'enqueue' OR c.kind = 'wait' AND c.rule = 'communication')
),
-- The conditions, which are always true, make the estimate of few rows small, so that these are hashed, and
-- not all operators and calls.
communicating AS (
  SELECT track_id
  FROM (SELECT DISTINCT track_id FROM communicated)
  WHERE track_id >= 0 AND track_id < 9223372036854775807
),
active AS (
  SELECT
    track_id, start_ns, min(slice_id) AS slice_id,
    max(max(end_ns)) OVER (PARTITION BY track_id ORDER BY start_ns) AS reach_ns
  FROM (
    SELECT slice_id, track_id, ts AS start_ns, ts + dur AS end_ns FROM whole_cpu_op
    UNION ALL
    SELECT slice_id, track_id, ts, ts + dur FROM whole_launch
    UNION ALL
    SELECT slice_id, track_id, ts, ts + dur FROM whole_collective
  )
  SEMI JOIN communicating USING (track_id)
  WHERE end_ns > start_ns
  GROUP BY track_id, start_ns
),
-- The thread did nothing then; it went on with its next slice, after the first of what it waits for
-- one after another. A call delays only the slice that it leads to.
continued AS (
  SELECT
    n.slice_id, c.trace_id, c.track_id, n.start_ns,
    min_by(c.at_ns, (c.start_ns, -c.at_ns, c.other_id)) AS at_ns,
    min_by(c.kind, (c.start_ns, -c.at_ns, c.other_id)) AS kind,
    min_by(c.other_id, (c.start_ns, -c.at_ns, c.other_id)) AS other_id
  FROM communicated AS c
  ASOF JOIN active AS n ON n.track_id = c.track_id AND n.start_ns >= c.at_ns
  ASOF LEFT JOIN active AS b ON b.track_id = c.track_id AND b.start_ns < c.at_ns
  WHERE coalesce(b.reach_ns <= c.at_ns, true)
    AND (n.start_ns = c.start_ns OR n.start_ns < c.start_ns AND c.kind = 'sync')
  GROUP BY n.slice_id, c.trace_id, c.track_id, n.start_ns
),
-- A thread to which another hands over, at the start of a slice; or, for calls that other threads
-- let return, at its end.
hand_over AS (
  SELECT
    -slice_id AS node, slice_id, kind, trace_id, track_id, start_ns AS end_ns, other_id, at_ns
  FROM continued
  UNION ALL
  SELECT
    -h.slice_id AS node,
    h.slice_id,
    'hand_over' AS kind,
    h.trace_id,
    h.track_id,
    h.start_ns AS end_ns,
    f.track_id AS other_id,
    f.ts + greatest(f.dur, 0) AS at_ns
  FROM whole_link AS c
  JOIN host_slice AS h ON h.slice_id = c.to_id
  JOIN whole_slice AS f ON f.id = c.from_id
  WHERE c.kind = 'hand_over' AND c.link_set = 'default'
    AND h.slice_id NOT IN (SELECT slice_id FROM continued)
  UNION ALL
  SELECT
    h.slice_id,
    h.slice_id,
    'sync',
    h.trace_id,
    h.track_id,
    h.end_ns,
    f.track_id,
    least(f.ts + greatest(f.dur, 0), h.end_ns)
  FROM whole_link AS c
  JOIN host_slice AS h ON h.slice_id = c.to_id
  JOIN whole_slice AS f ON f.id = c.from_id
  SEMI JOIN (SELECT id FROM track WHERE kind = 'thread') AS k ON k.id = f.track_id
  WHERE c.kind = 'join' AND c.link_set = 'default'
),
-- Points at which a thread had to stop: earlier time belongs to another thread.
interruption AS (
  SELECT track_id, end_ns, max(node) AS node
  FROM (
    SELECT track_id, end_ns, node FROM blocked_call
    UNION ALL
    SELECT track_id, end_ns, node FROM hand_over
  )
  GROUP BY track_id, end_ns
),
-- Points of threads that the path may reach, and the last stop before each.
host_moment AS (
  SELECT w.slice_id AS node, w.trace_id, w.call_track_id AS track_id, c.at_ns
  FROM work_cause AS c
  JOIN work AS w ON w.slice_id = c.slice_id
  WHERE c.kind = 'launch_delay'
  UNION ALL
  SELECT node, trace_id, other_id AS track_id, at_ns FROM hand_over
  UNION ALL
  SELECT 0 AS node, trace_id, track_id, host_end_ns AS at_ns
  FROM window_of
  WHERE end_ns = host_end_ns
),
host_run AS (
  SELECT
    m.node,
    m.trace_id,
    m.track_id,
    i.node AS before_id,
    greatest(coalesce(i.end_ns, w.start_ns), w.start_ns) AS start_ns,
    m.at_ns AS end_ns
  FROM host_moment AS m
  JOIN window_of AS w ON w.trace_id = m.trace_id
  ASOF LEFT JOIN interruption AS i ON i.track_id = m.track_id AND i.end_ns <= m.at_ns
),

-- The predecessor of each node: device work by its id, a blocked call by its id, a thread that
-- continues by the negated id of its first slice, the end of the step by the trace id negated
-- twice.
step_back AS MATERIALIZED (
  SELECT c.slice_id AS node, w.trace_id, c.before_id, c.at_ns
  FROM work_cause AS c
  JOIN work AS w ON w.slice_id = c.slice_id
  WHERE c.kind <> 'launch_delay'
  UNION ALL
  SELECT node, trace_id, before_id, at_ns FROM blocked_call
  UNION ALL
  SELECT node, trace_id, before_id, start_ns AS at_ns FROM host_run WHERE node <> 0
),
first_node AS (
  SELECT w.trace_id, max_by(d.slice_id, (d.start_ns, d.slice_id)) AS node
  FROM window_of AS w
  JOIN work AS d
    ON d.trace_id = w.trace_id
    AND d.end_ns = w.end_ns
    AND d.caller_id IN (-1, w.process_id)
  WHERE w.end_ns > w.host_end_ns
  GROUP BY w.trace_id
  UNION ALL
  SELECT trace_id, before_id AS node FROM host_run WHERE node = 0
),
-- The distance doubles each round: a path of a thousand nodes takes ten rounds.
walk AS (
  SELECT 0 AS round, false AS is_on_path, b.node, b.before_id
  FROM step_back AS b
  JOIN window_of AS w ON w.trace_id = b.trace_id AND b.at_ns > w.start_ns
  WHERE b.before_id IS NOT NULL
  UNION ALL
  SELECT 0 AS round, true AS is_on_path, node, NULL AS before_id
  FROM first_node
  WHERE node IS NOT NULL
  UNION ALL
  (
    SELECT a.round + 1, false, a.node, b.before_id
    FROM walk AS a
    JOIN walk AS b ON b.node = a.before_id AND NOT b.is_on_path
    WHERE NOT a.is_on_path
    UNION ALL
    SELECT a.round + 1, true, a.node, NULL
    FROM walk AS a
    WHERE a.is_on_path AND EXISTS (FROM walk WHERE NOT is_on_path)
    UNION ALL
    SELECT a.round + 1, true, b.before_id, NULL
    FROM walk AS a
    JOIN walk AS b ON b.node = a.node AND NOT b.is_on_path
    WHERE a.is_on_path
  )
),
on_path AS MATERIALIZED (
  SELECT DISTINCT node FROM walk WHERE is_on_path
),

-- The parts of the path.
work_interval AS (
  SELECT d.trace_id, d.start_ns, b.at_ns AS end_ns, 'device' AS kind, d.slice_id, d.track_id
  FROM step_back AS b
  SEMI JOIN on_path AS o ON o.node = b.node
  JOIN work AS d ON d.slice_id = b.before_id
  UNION ALL
  SELECT d.trace_id, d.start_ns, d.end_ns, 'device' AS kind, d.slice_id, d.track_id
  FROM first_node AS f
  JOIN work AS d ON d.slice_id = f.node
),
delay_interval AS (
  SELECT
    d.trace_id,
    c.at_ns AS start_ns,
    d.start_ns AS end_ns,
    coalesce(c.kind, 'device_gap') AS kind,
    d.slice_id,
    d.track_id
  FROM work AS d
  SEMI JOIN on_path AS o ON o.node = d.slice_id
  LEFT JOIN work_cause AS c ON c.slice_id = d.slice_id
  UNION ALL
  SELECT b.trace_id, b.at_ns AS start_ns, b.end_ns, 'sync' AS kind, b.node AS slice_id, b.track_id
  FROM blocked_call AS b
  SEMI JOIN on_path AS o ON o.node = b.node
  UNION ALL
  SELECT
    h.trace_id,
    h.at_ns AS start_ns,
    h.end_ns,
    h.kind,
    h.slice_id,
    h.track_id
  FROM hand_over AS h
  SEMI JOIN on_path AS o ON o.node = h.node
),
run_on_path AS (
  SELECT h.trace_id, h.track_id, h.start_ns, h.end_ns
  FROM host_run AS h
  LEFT JOIN on_path AS o ON o.node = h.node
  WHERE h.end_ns > h.start_ns AND (o.node IS NOT NULL OR h.node = 0)
),
-- Threads split at every start and end of a slice, with the innermost slice from there on, and at the
-- start and end of what is on the path of a thread.
boundary_event AS (
  SELECT
    trace_id, track_id, start_ns AS at_ns, slice_id AS inner_id, 1 AS is_start, depth,
    NULL::BIGINT AS run_end_ns
  FROM host_slice
  WHERE end_ns > start_ns
  UNION ALL
  SELECT
    trace_id, track_id, end_ns AS at_ns, coalesce(parent_id, 0) AS inner_id, 0 AS is_start,
    -depth AS depth, NULL
  FROM host_slice
  WHERE end_ns > start_ns
  UNION ALL
  SELECT trace_id, track_id, start_ns AS at_ns, NULL AS inner_id, 0 AS is_start, 0 AS depth, NULL
  FROM host_slice
  WHERE end_ns = start_ns
  UNION ALL
  SELECT h.trace_id, h.track_id, w.start_ns AS at_ns, NULL, 0, 0, NULL::BIGINT
  FROM host_track AS h
  JOIN window_of AS w ON w.trace_id = h.trace_id
  UNION ALL
  -- A call may be recorded on a track of its own, and other threads may begin nothing then.
  SELECT trace_id, track_id, end_ns AS at_ns, NULL, 0, 0, NULL FROM run_on_path
  UNION ALL
  SELECT any_value(trace_id), track_id, start_ns AS at_ns, NULL, -1, 0, max(end_ns)
  FROM run_on_path
  SEMI JOIN host_track USING (track_id)
  GROUP BY track_id, start_ns
),
-- Of those at the same time, the last holds: all pieces before it are empty.
piece AS (
  SELECT
    trace_id,
    track_id,
    at_ns AS start_ns,
    lead(at_ns) OVER thread AS end_ns,
    nullif(last_value(inner_id IGNORE NULLS) OVER until_now, 0) AS slice_id,
    last_value(run_end_ns IGNORE NULLS) OVER until_now AS run_end_ns
  FROM boundary_event
  SEMI JOIN run_on_path USING (track_id)
  WINDOW
    thread AS (PARTITION BY track_id ORDER BY at_ns, is_start, depth, inner_id),
    until_now AS (thread ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
host_interval AS (
  SELECT trace_id, start_ns, end_ns, 'host' AS kind, slice_id, track_id
  FROM piece
  WHERE end_ns <= run_end_ns AND end_ns > start_ns
),
part AS (
  FROM work_interval
  UNION ALL
  FROM delay_interval
  UNION ALL
  FROM host_interval
),
clipped AS (
  SELECT
    p.trace_id,
    w.range_id,
    w.step,
    greatest(coalesce(p.start_ns, w.start_ns), w.start_ns) AS start_ns,
    p.end_ns,
    p.kind,
    p.slice_id,
    p.track_id
  FROM part AS p
  JOIN window_of AS w ON w.trace_id = p.trace_id
)
SELECT trace_id, range_id, step, start_ns, end_ns, kind, slice_id, track_id
FROM clipped
WHERE end_ns > start_ns
