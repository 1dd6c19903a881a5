/* ---
name = "check_work_before_launch"
version = 1
title = "Device work before its launch"
help = """
Device work starts before the call that caused it if the clocks of host and device disagree. Up to
one microsecond is a note, because some sources round times to microseconds.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of kernels, copies and memsets of the trace with a known call"
examples.help = "Up to three, earliest first: slice, start on the time axis of slice.ts, name, time before its call"

[changes]
1 = "first version"
--- */
WITH early AS (
  SELECT l.to_id, c.ts - g.ts AS lead_ns
  FROM whole_link AS l
  JOIN gpu_op AS g ON g.slice_id = l.to_id
  JOIN whole_launch AS c ON c.slice_id = l.from_id
  WHERE l.kind = 'launch' AND l.link_set = 'default' AND c.ts > g.ts
),
placed AS (
  SELECT
    g.slice_id,
    g.trace_id,
    g.ts,
    g.name,
    e.lead_ns,
    row_number() OVER (PARTITION BY g.trace_id ORDER BY e.lead_ns DESC, g.slice_id) AS place
  FROM gpu_op AS g
  JOIN early AS e ON e.to_id = g.slice_id
),
total AS (
  SELECT trace_id, count(*) AS n_links
  FROM whole_link
  SEMI JOIN gpu_op ON gpu_op.slice_id = whole_link.to_id
  WHERE kind = 'launch' AND link_set = 'default'
  GROUP BY trace_id
),
finding AS (
  SELECT
    e.trace_id,
    count(*) AS n_found,
    max(e.lead_ns) AS longest_ns,
    max(a.n_links) AS n_looked_at,
    string_agg(
      CASE
        WHEN e.place <= 3
        THEN 'slice ' || e.slice_id || ' at ' || e.ts || ' ns: ' || left(coalesce(e.name, '(no name)'), 60) || ', ' || e.lead_ns || ' ns early'
      END,
      '; ' ORDER BY e.place
    ) AS examples
  FROM placed AS e
  JOIN total AS a ON a.trace_id = e.trace_id
  GROUP BY e.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'work_before_launch' AS check_name,
  CASE WHEN f.longest_ns > 1000 THEN 'warning' ELSE 'note' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Device work starts up to ' || f.longest_ns || ' ns before the call that caused it: the clocks '
    || 'of host and device differ by at least that much, and times between call and work are wrong.' AS meaning,
  'Compare only times on the host or only times on the device.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
