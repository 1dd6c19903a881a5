/* ---
name = "idle_host"
version = 3
title = "Idle gaps before launching calls, by the outermost operator that threads were in meanwhile"
help = """
Each gap of device_gap from its start until its launching call began, or returned with in_launch, in parts: the
outermost operators that the launching thread was in meanwhile, with the module and the Python function that they
were called from, and the rest, outside of operators, with the innermost Python function around the part.
"""
grain = ["trace_id", "device_id", "stream_track_id", "start_ns", "slice_id"]
requires = { schema = ">=13", queries = ["reaching_op@1", "stream_gap@1"] }
scale = "trace"
columns = [
  "trace_id", "device_id", "stream_track_id", "gap_start_ns", "cause", "start_ns", "slice_id",
  "name", "module", "python", "idle_ns", "inside_ns",
]

[param.per_device]
type = "BOOLEAN"
help = "Gaps of whole devices instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[param.in_launch]
type = "BOOLEAN"
help = "Until the launching call returned, instead of until it began"

[column]
stream_track_id = { type = "BIGINT", unit = "ref track.id", nullable = true, help = "Track of the stream; NULL with per_device" }
gap_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the gap" }
start_ns.help = "Start of the part"
slice_id = { nullable = true, help = "Outermost operator; NULL: none" }
name.help = "Its name"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Module that called the operator; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the operator, or that the thread was in outside of operators; NULL: not recorded" }
idle_ns = { check = "> 0", help = "Idle time in which the thread was there" }
inside_ns.help = "Part of idle_ns in the time window"

[changes]
3 = "no parameter any_thread: only operators of the launching thread"
2 = "cause other is unknown"
1 = "first version"
--- */
-- Gaps of a lane, a device or stream beside a thread, do not overlap. idle_summary sums the same parts
-- by a text of its own.
WITH RECURSIVE launched AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT
      g.trace_id,
      g.device_id,
      g.track_id AS stream_track_id,
      g.cause,
      l.track_id AS thread_id,
      g.start_ns,
      least(l.ts + CASE WHEN $in_launch::BOOLEAN THEN greatest(l.dur, 0) ELSE 0 END, g.end_ns) AS end_ns
    FROM stream_gap($per_device::BOOLEAN, $short_ns::BIGINT) AS g
    JOIN whole_launch AS l ON l.slice_id = g.launch_id
  )
  WHERE end_ns > start_ns
),
lane AS MATERIALIZED (
  SELECT *, row_number() OVER ()::INTEGER AS lane
  FROM (SELECT DISTINCT trace_id, device_id, stream_track_id, thread_id FROM launched)
),
-- Gaps of a lane are numbered consecutively.
gap AS MATERIALIZED (
  SELECT
    l.lane, l.thread_id, g.cause, g.start_ns, g.end_ns,
    row_number() OVER (ORDER BY l.lane, g.start_ns)::INTEGER AS n
  FROM launched AS g
  JOIN lane AS l
    ON l.trace_id = g.trace_id
    AND l.device_id IS NOT DISTINCT FROM g.device_id
    AND l.stream_track_id IS NOT DISTINCT FROM g.stream_track_id
    AND l.thread_id = g.thread_id
),
outermost_op AS (
  SELECT slice_id, track_id, name, ts, dur
  FROM reaching_op()
  WHERE is_outermost
    AND track_id IN (SELECT thread_id FROM lane)
),
-- Numbers instead of names: what follows sorts and joins all of them several times.
known_name AS MATERIALIZED (
  SELECT name, row_number() OVER ()::INTEGER AS name_n
  FROM (SELECT DISTINCT name FROM outermost_op)
),
outermost AS MATERIALIZED (
  SELECT o.slice_id, o.track_id AS thread_id, k.name_n, o.ts AS start_ns, o.ts + o.dur AS end_ns
  FROM outermost_op AS o
  JOIN known_name AS k ON k.name IS NOT DISTINCT FROM o.name
),
-- Outermost operators of a thread do not overlap: of a gap and an operator that do, the gap begins in
-- the operator, or the operator in the gap.
inside AS MATERIALIZED (
  SELECT
    g.n, o.slice_id, o.name_n, g.start_ns, least(g.end_ns, o.end_ns) AS end_ns,
    g.start_ns AS gap_start_ns, g.end_ns AS gap_end_ns
  FROM gap AS g
  ASOF JOIN outermost AS o ON o.thread_id = g.thread_id AND g.start_ns >= o.start_ns
  WHERE o.end_ns > g.start_ns
  UNION ALL
  SELECT
    g.n, o.slice_id, o.name_n, o.start_ns, least(g.end_ns, o.end_ns), g.start_ns, g.end_ns
  FROM outermost AS o
  JOIN lane AS l ON l.thread_id = o.thread_id
  ASOF JOIN gap AS g ON g.lane = l.lane AND o.start_ns > g.start_ns
  WHERE g.end_ns > o.start_ns
),
beside AS MATERIALIZED (
  SELECT
    n, start_ns, end_ns, gap_start_ns, gap_end_ns,
    lag(n) OVER in_order AS before_n, lag(end_ns) OVER in_order AS before_end_ns,
    lead(n) OVER in_order AS next_n
  FROM inside
  WINDOW in_order AS (ORDER BY n, start_ns)
),
-- The rest of each gap: before each operator, after the last, and gaps without operators.
outside AS MATERIALIZED (
  SELECT *, row_number() OVER () AS m
  FROM (
    SELECT
      n, CASE WHEN before_n = n THEN before_end_ns ELSE gap_start_ns END AS start_ns, start_ns AS end_ns
    FROM beside
    UNION ALL
    SELECT n, end_ns, gap_end_ns
    FROM beside
    WHERE next_n IS DISTINCT FROM n
    UNION ALL
    SELECT g.n, g.start_ns, g.end_ns
    FROM gap AS g
    ANTI JOIN beside AS b ON b.n = g.n
  )
  WHERE end_ns > start_ns
),
-- Of functions that begin at once, the innermost.
call AS MATERIALIZED (
  SELECT slice_id, track_id, name, ts, ts + dur AS end_ns
  FROM whole_python_call
  QUALIFY row_number() OVER (PARTITION BY track_id, ts ORDER BY dur, slice_id DESC) = 1
),
above AS MATERIALIZED (
  SELECT s.id, s.parent_id, c.name, c.ts + c.dur AS end_ns
  FROM whole_slice AS s
  LEFT JOIN whole_python_call AS c ON c.slice_id = s.id
  WHERE s.track_id IN (SELECT track_id FROM call)
),
-- From the last function that began before each such part up to one that lasts as long as the part.
ancestor AS (
  SELECT o.m, o.end_ns, c.slice_id AS at_id, CASE WHEN c.end_ns >= o.end_ns THEN c.name END AS python
  FROM outside AS o
  JOIN gap AS g ON g.n = o.n
  JOIN lane AS l ON l.lane = g.lane
  ASOF JOIN call AS c ON c.track_id = l.thread_id AND o.start_ns >= c.ts
  WHERE l.thread_id IN (SELECT track_id FROM call)
  UNION ALL
  SELECT c.m, c.end_ns, b.id, CASE WHEN b.end_ns >= c.end_ns THEN b.name END
  FROM ancestor AS c
  JOIN above AS a ON a.id = c.at_id
  JOIN above AS b ON b.id = a.parent_id
  WHERE c.python IS NULL
),
frame AS (
  SELECT
    k.to_id AS slice_id,
    max(s.name) FILTER (k.kind = 'module') AS module,
    max(s.name) FILTER (k.kind = 'python') AS python
  FROM whole_link AS k
  JOIN whole_slice AS s ON s.id = k.from_id
  WHERE k.kind IN ('module', 'python')
    AND k.link_set = 'default'
    AND k.to_id IN (SELECT slice_id FROM inside)
  GROUP BY k.to_id
),
part AS (
  SELECT i.n, i.slice_id, i.name_n, i.start_ns, i.end_ns, f.module, f.python
  FROM inside AS i
  LEFT JOIN frame AS f ON f.slice_id = i.slice_id
  UNION ALL
  SELECT o.n, NULL, NULL, o.start_ns, o.end_ns, NULL, c.python
  FROM outside AS o
  LEFT JOIN ancestor AS c ON c.m = o.m AND c.python IS NOT NULL
)
SELECT
  l.trace_id, l.device_id, l.stream_track_id, g.start_ns AS gap_start_ns, g.cause, p.start_ns, p.slice_id, k.name,
  p.module, p.python,
  (p.end_ns - p.start_ns)::BIGINT AS idle_ns,
  greatest(least(p.end_ns, w.to_ns) - greatest(p.start_ns, w.from_ns), 0)::BIGINT AS inside_ns
FROM part AS p
JOIN gap AS g ON g.n = p.n
JOIN lane AS l ON l.lane = g.lane
LEFT JOIN known_name AS k ON k.name_n = p.name_n
CROSS JOIN time_window AS w
