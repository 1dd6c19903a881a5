/* ---
name = "idle_summary"
version = 5
title = "Idle time by cause and place, per device or stream"
help = """
Gaps between the first and the last operation of a device, or of a stream without per_device. idle_gap
defines the causes and returns the single gaps. cpu_op, module and python tell where the launching threads were
for the longest part of that time before their calls returned, by the outermost operator; place_share is this
part of idle_ns. Without an operator they were outside of operators, in that Python function; without place_share
all calls had returned, or are not recorded. idle_place returns all places before calls. In a time window, sums are of the parts of the
gaps inside it, so disjoint windows add up to the whole; causes and other statistics are of whole gaps.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "cause"]
requires = { schema = ">=13", queries = ["reaching_op@1", "stream_gap@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "cause", "n_gaps",
  "idle_ns", "idle_share", "median_ns", "p90_ns", "max_ns", "before_launch_ns", "blocked_ns",
  "in_launch_ns", "after_launch_ns", "cpu_op", "module", "python", "place_share",
]

[param.per_device]
type = "BOOLEAN"
default = true
help = "Return gaps of whole devices, with stream NULL, instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[column]
track_id = { nullable = true, help = "Track of the stream; NULL with per_device" }
n_gaps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of gaps" }
idle_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Sum of the gaps" }
idle_share = { nullable = false, help = "Share of the idle time of the stream or device" }
median_ns = { type = "DOUBLE", unit = "ns", check = "> 0", help = "Median gap" }
p90_ns = { type = "DOUBLE", unit = "ns", check = "> 0", help = "90th percentile of the gaps, interpolated" }
max_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Longest gap" }
before_launch_ns.help = "Part of idle_ns before the launching calls began; NULL without calls"
blocked_ns.help = "Part of before_launch_ns in which the launching threads waited for a device"
in_launch_ns.help = "Part of idle_ns during the launching calls"
after_launch_ns.help = "Part of idle_ns after the launching calls returned"
cpu_op.help = "Outermost operator that threads were longest in; NULL: none"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Module that called the operator; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the operator, or that threads were in outside of operators; NULL: not recorded" }
place_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Part of idle_ns in which threads were there; NULL: no time before calls returned" }

[changes]
5 = "cause other is unknown"
4 = "devices unless streams are asked for; operator, module and Python function that threads were longest in"
3 = "new cause communication, which was other"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
WITH RECURSIVE summed AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    cause,
    count(*) AS n_gaps,
    sum(inside_ns)::BIGINT AS idle_ns,
    quantile_cont(gap_ns, [0.5, 0.9]) AS quantiles_ns,
    max(gap_ns) AS max_ns,
    sum(inside_before_launch_ns)::BIGINT AS before_launch_ns,
    sum(inside_blocked_ns)::BIGINT AS blocked_ns,
    sum(inside_in_launch_ns)::BIGINT AS in_launch_ns,
    sum(inside_after_launch_ns)::BIGINT AS after_launch_ns
  FROM stream_gap($per_device::BOOLEAN, $short_ns::BIGINT)
  GROUP BY trace_id, device_id, track_id, stream, cause
),
-- From here on to by_place as idle_host with in_launch, whose text returns the single parts: summing
-- them by kind of gap right away takes a fifth less time.
launched AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT
      g.trace_id,
      g.device_id,
      g.track_id AS stream_track_id,
      l.track_id AS thread_id,
      g.cause,
      g.start_ns,
      least(l.ts + greatest(l.dur, 0), g.end_ns) AS end_ns
    FROM stream_gap($per_device::BOOLEAN, $short_ns::BIGINT) AS g
    JOIN whole_launch AS l ON l.slice_id = g.launch_id
  )
  WHERE end_ns > start_ns
),
-- Gaps of a lane, a device or stream beside a thread, do not overlap. Numbers instead of up to five
-- columns: what follows sorts all gaps and operators.
kind AS MATERIALIZED (
  SELECT
    *,
    row_number() OVER ()::INTEGER AS kind_n,
    dense_rank() OVER (ORDER BY trace_id, device_id, stream_track_id, thread_id)::INTEGER AS lane,
    thread_id IN (SELECT track_id FROM whole_python_call) AS has_python
  FROM (SELECT DISTINCT trace_id, device_id, stream_track_id, thread_id, cause FROM launched)
),
gap AS MATERIALIZED (
  SELECT k.lane, k.kind_n, k.thread_id, k.has_python, g.start_ns, g.end_ns
  FROM launched AS g
  JOIN kind AS k
    ON k.trace_id = g.trace_id
    AND k.device_id IS NOT DISTINCT FROM g.device_id
    AND k.stream_track_id IS NOT DISTINCT FROM g.stream_track_id
    AND k.thread_id = g.thread_id
    AND k.cause = g.cause
),
outermost_op AS (
  SELECT slice_id, track_id, name, ts, dur
  FROM reaching_op()
  WHERE is_outermost
    AND track_id IN (SELECT thread_id FROM kind)
),
known_name AS MATERIALIZED (
  SELECT name, row_number() OVER ()::INTEGER AS name_n
  FROM (SELECT DISTINCT name FROM outermost_op)
),
outermost AS MATERIALIZED (
  SELECT o.slice_id, o.track_id AS thread_id, k.name_n, o.ts AS start_ns, o.ts + o.dur AS end_ns
  FROM outermost_op AS o
  JOIN known_name AS k ON k.name IS NOT DISTINCT FROM o.name
),
-- Of a gap and an operator that overlap, the gap begins in the operator, or the operator in the gap.
inside AS MATERIALIZED (
  SELECT
    g.lane, g.kind_n, g.has_python, o.slice_id, o.name_n, g.start_ns,
    least(g.end_ns, o.end_ns) AS end_ns, g.start_ns AS gap_start_ns, g.end_ns AS gap_end_ns
  FROM gap AS g
  ASOF JOIN outermost AS o ON o.thread_id = g.thread_id AND g.start_ns >= o.start_ns
  WHERE o.end_ns > g.start_ns
  UNION ALL
  SELECT
    g.lane, g.kind_n, g.has_python, o.slice_id, o.name_n, o.start_ns, least(g.end_ns, o.end_ns),
    g.start_ns, g.end_ns
  FROM outermost AS o
  JOIN (SELECT DISTINCT lane, thread_id FROM kind) AS l ON l.thread_id = o.thread_id
  ASOF JOIN gap AS g ON g.lane = l.lane AND o.start_ns > g.start_ns
  WHERE g.end_ns > o.start_ns
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
inside_time AS MATERIALIZED (
  SELECT
    i.kind_n, i.name_n, f.module, f.python,
    sum(greatest(least(i.end_ns, w.to_ns) - greatest(i.start_ns, w.from_ns), 0)) AS inside_ns
  FROM inside AS i
  CROSS JOIN time_window AS w
  LEFT JOIN frame AS f ON f.slice_id = i.slice_id
  GROUP BY i.kind_n, i.name_n, f.module, f.python
),
-- Outside of operators: of threads without Python functions, the rest.
rest_time AS (
  SELECT kind_n, sum(inside_ns) AS inside_ns
  FROM (
    SELECT
      g.kind_n,
      sum(greatest(least(g.end_ns, w.to_ns) - greatest(g.start_ns, w.from_ns), 0)) AS inside_ns
    FROM gap AS g
    CROSS JOIN time_window AS w
    WHERE NOT g.has_python
    GROUP BY g.kind_n
    UNION ALL
    SELECT i.kind_n, -i.inside_ns
    FROM inside_time AS i
    JOIN kind AS k ON k.kind_n = i.kind_n
    WHERE NOT k.has_python
  )
  GROUP BY kind_n
),
-- Of the others, before each operator, after the last, and gaps without operators.
beside AS MATERIALIZED (
  SELECT
    lane, kind_n, start_ns, end_ns, gap_start_ns, gap_end_ns,
    lag(gap_start_ns) OVER in_order AS before_gap_ns, lag(end_ns) OVER in_order AS before_end_ns,
    lead(gap_start_ns) OVER in_order AS next_gap_ns
  FROM inside
  WHERE has_python
  WINDOW in_order AS (PARTITION BY lane ORDER BY start_ns)
),
outside AS MATERIALIZED (
  SELECT *, row_number() OVER () AS m
  FROM (
    SELECT
      kind_n,
      CASE WHEN before_gap_ns = gap_start_ns THEN before_end_ns ELSE gap_start_ns END AS start_ns,
      start_ns AS end_ns
    FROM beside
    UNION ALL
    SELECT kind_n, end_ns, gap_end_ns
    FROM beside
    WHERE next_gap_ns IS DISTINCT FROM gap_start_ns
    UNION ALL
    SELECT g.kind_n, g.start_ns, g.end_ns
    FROM gap AS g
    ANTI JOIN beside AS b ON b.lane = g.lane AND b.gap_start_ns = g.start_ns
    WHERE g.has_python
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
  JOIN kind AS k ON k.kind_n = o.kind_n
  ASOF JOIN call AS c ON c.track_id = k.thread_id AND o.start_ns >= c.ts
  UNION ALL
  SELECT c.m, c.end_ns, b.id, CASE WHEN b.end_ns >= c.end_ns THEN b.name END
  FROM ancestor AS c
  JOIN above AS a ON a.id = c.at_id
  JOIN above AS b ON b.id = a.parent_id
  WHERE c.python IS NULL
),
outside_time AS (
  SELECT
    o.kind_n, c.python,
    sum(greatest(least(o.end_ns, w.to_ns) - greatest(o.start_ns, w.from_ns), 0)) AS inside_ns
  FROM outside AS o
  CROSS JOIN time_window AS w
  LEFT JOIN ancestor AS c ON c.m = o.m AND c.python IS NOT NULL
  GROUP BY o.kind_n, c.python
),
by_place AS (
  SELECT i.kind_n, n.name AS cpu_op, i.module, i.python, i.inside_ns
  FROM inside_time AS i
  JOIN known_name AS n ON n.name_n = i.name_n
  UNION ALL
  SELECT kind_n, NULL, NULL, NULL, inside_ns FROM rest_time
  UNION ALL
  SELECT kind_n, NULL, NULL, python, inside_ns FROM outside_time
),
place AS (
  SELECT
    k.trace_id, k.device_id, k.stream_track_id, k.cause, p.cpu_op, p.module, p.python,
    sum(p.inside_ns)::BIGINT AS place_ns
  FROM by_place AS p
  JOIN kind AS k ON k.kind_n = p.kind_n
  GROUP BY
    k.trace_id, k.device_id, k.stream_track_id, k.cause, p.cpu_op, p.module, p.python
  HAVING sum(p.inside_ns) > 0
  QUALIFY row_number() OVER (
    PARTITION BY k.trace_id, k.device_id, k.stream_track_id, k.cause
    ORDER BY
      sum(p.inside_ns) DESC, p.cpu_op NULLS LAST, p.module NULLS LAST, p.python NULLS LAST
  ) = 1
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  a.cause,
  a.n_gaps,
  a.idle_ns,
  a.idle_ns / sum(a.idle_ns) OVER (
    PARTITION BY a.trace_id, a.device_id, a.track_id, a.stream
  ) AS idle_share,
  a.quantiles_ns[1] AS median_ns,
  a.quantiles_ns[2] AS p90_ns,
  a.max_ns,
  a.before_launch_ns,
  a.blocked_ns,
  a.in_launch_ns,
  a.after_launch_ns,
  p.cpu_op,
  p.module,
  p.python,
  p.place_ns / a.idle_ns AS place_share
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN place AS p
  ON p.trace_id = a.trace_id
  AND p.device_id IS NOT DISTINCT FROM a.device_id
  AND p.stream_track_id IS NOT DISTINCT FROM a.track_id
  AND p.cause = a.cause
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id, a.idle_ns DESC, a.cause
