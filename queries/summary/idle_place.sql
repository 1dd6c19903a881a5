/* ---
name = "idle_place"
version = 1
title = "Idle time of devices by the operator, module and Python line the host was in"
help = """
Idle time of each device before the calls that ended it began (before_launch_ns of idle_gap with per_device), by
the outermost operator that the calling thread was in meanwhile. Its module and Python function are those it
was called from. Idle time outside of operators has none. In a time window, sums are of the parts inside it.
"""
grain = ["trace_id", "device_id", "cpu_op", "module", "python"]
requires = { schema = ">=13", queries = ["device_gap@4"] }
portable = false
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "cpu_op", "module", "python", "n_gaps", "idle_ns",
  "idle_share",
]

[column]
cpu_op.help = "Outermost operator of the thread; NULL: none"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Module that called the operator; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the operator; NULL: not recorded" }
n_gaps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of gaps with such time" }
idle_ns = { check = "> 0", help = "Idle time while the thread was there" }
idle_share = { nullable = false, help = "Share of the idle time of the device before calls" }

[changes]
1 = "first version"
--- */
WITH gap AS MATERIALIZED (
  SELECT
    g.trace_id,
    coalesce(g.device_id, -1) AS device_key,
    g.device_id,
    l.track_id,
    greatest(g.start_ns, w.from_ns) AS start_ns,
    least(l.ts, g.end_ns, w.to_ns) AS end_ns,
    row_number() OVER (PARTITION BY g.trace_id, g.device_id, l.track_id ORDER BY g.start_ns) AS n
  FROM device_gap(true, 5000, NULL) AS g
  JOIN whole_launch AS l ON l.slice_id = g.launch_id
  CROSS JOIN time_window AS w
  WHERE least(l.ts, g.end_ns, w.to_ns) > greatest(g.start_ns, w.from_ns)
),
outermost AS (
  SELECT slice_id, track_id, name, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT
      *,
      max(ts + dur) OVER (
        PARTITION BY track_id ORDER BY ts, dur DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reached_ns
    FROM whole_cpu_op
    WHERE dur > 0
  )
  WHERE reached_ns IS NULL OR ts >= reached_ns
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
    AND k.to_id IN (SELECT slice_id FROM outermost)
  GROUP BY k.to_id
),
-- The first gap that ends after the operator begins, and the last that begins before it ends.
extent AS (
  SELECT
    o.slice_id, o.track_id, d.trace_id, d.device_key, o.name, o.start_ns, o.end_ns,
    a.n AS first_n, b.n AS last_n
  FROM outermost AS o
  JOIN (SELECT DISTINCT trace_id, device_key, track_id FROM gap) AS d ON d.track_id = o.track_id
  ASOF JOIN gap AS a
    ON a.trace_id = d.trace_id AND a.device_key = d.device_key AND a.track_id = o.track_id
    AND o.start_ns < a.end_ns
  ASOF JOIN gap AS b
    ON b.trace_id = d.trace_id AND b.device_key = d.device_key AND b.track_id = o.track_id
    AND o.end_ns > b.start_ns
),
crossed AS (
  SELECT *, unnest(range(first_n, last_n + 1)) AS n
  FROM extent
),
inside AS MATERIALIZED (
  SELECT
    g.trace_id, g.device_id, g.device_key, g.track_id, g.n, c.slice_id, c.name,
    least(g.end_ns, c.end_ns) - greatest(g.start_ns, c.start_ns) AS idle_ns
  FROM crossed AS c
  JOIN gap AS g
    ON g.trace_id = c.trace_id AND g.device_key = c.device_key AND g.track_id = c.track_id AND g.n = c.n
),
covered AS (
  SELECT trace_id, device_key, track_id, n, sum(idle_ns) AS idle_ns
  FROM inside
  GROUP BY trace_id, device_key, track_id, n
),
piece AS (
  SELECT i.trace_id, i.device_id, i.track_id, i.n, i.name AS cpu_op, f.module, f.python, i.idle_ns
  FROM inside AS i
  LEFT JOIN frame AS f ON f.slice_id = i.slice_id
  UNION ALL
  SELECT
    g.trace_id, g.device_id, g.track_id, g.n, NULL, NULL, NULL,
    g.end_ns - g.start_ns - coalesce(c.idle_ns, 0) AS idle_ns
  FROM gap AS g
  LEFT JOIN covered AS c
    ON c.trace_id = g.trace_id AND c.device_key = g.device_key AND c.track_id = g.track_id AND c.n = g.n
),
summed AS (
  SELECT
    trace_id, device_id, cpu_op, module, python,
    count(DISTINCT (track_id, n)) AS n_gaps,
    sum(idle_ns)::BIGINT AS idle_ns
  FROM piece
  WHERE idle_ns > 0
  GROUP BY trace_id, device_id, cpu_op, module, python
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.device_id,
  d.ordinal AS device,
  s.cpu_op,
  s.module,
  s.python,
  s.n_gaps,
  s.idle_ns,
  s.idle_ns / sum(s.idle_ns) OVER (PARTITION BY s.trace_id, s.device_id) AS idle_share
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN device AS d ON d.id = s.device_id
ORDER BY
  t.run_id, t.rank, s.trace_id, d.ordinal, s.device_id, s.idle_ns DESC, s.cpu_op, s.module, s.python
