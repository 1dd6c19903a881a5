/* ---
name = "check_launch_without_work"
version = 2
title = "Launch without device work"
help = """
Launches of kernels and graphs, copies and memsets of CUDA and HIP, by name, that must cause device
work and caused none. Calls made while the same thread captures a stream into a graph cause no work
and are excluded, and so are those inside of which another call caused the work, such as a packet in a
queue of HSA. Copies and memsets of 0 bytes cause none either, and the source does not record
their size: a trace with only such calls gets a note.
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
n_looked_at.help = "Number of launches of kernels and graphs, copies and memsets of the trace"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name"

[changes]
2 = "captures that begin before the time window count"
1 = "first version"
--- */
WITH named AS (
  SELECT
    name,
    CASE
      WHEN regexp_matches(name, '^(cuda|cu|hip)(Ext|Module|ExtModule)?Launch(Cooperative)?Kernel')
        OR regexp_matches(name, '^(cuda|cu|hip)GraphLaunch')
        THEN 'kernel'
      WHEN regexp_matches(name, '^(cuda|cu|hip)Mem(cpy|set)') THEN 'copy'
    END AS kind
  FROM (SELECT DISTINCT name FROM launch)
),
idle AS (
  SELECT c.slice_id, c.trace_id, c.track_id, c.ts, c.dur, c.name, n.kind
  FROM launch AS c
  JOIN named AS n ON n.name = c.name
  WHERE n.kind IS NOT NULL
    AND NOT EXISTS (
      SELECT 1
      FROM whole_link AS l
      WHERE l.from_id = c.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
    )
),
-- Calls that caused work, on the threads of such calls; and such calls inside of which one begins.
causing AS (
  SELECT c.track_id, c.ts
  FROM whole_launch AS c
  SEMI JOIN (
    SELECT from_id FROM whole_link WHERE kind = 'launch' AND link_set = 'default'
  ) AS l ON l.from_id = c.slice_id
  WHERE c.track_id IN (SELECT track_id FROM idle)
),
surrounding AS (
  SELECT slice_id
  FROM (
    SELECT
      slice_id,
      ts,
      dur,
      min(causing_ts) OVER (
        PARTITION BY track_id ORDER BY ts, causing_ts NULLS FIRST
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      ) AS causing_ts
    FROM (
      SELECT slice_id, track_id, ts, dur, CAST(NULL AS BIGINT) AS causing_ts FROM idle
      UNION ALL
      SELECT NULL, track_id, ts, NULL, ts FROM causing
    )
  )
  WHERE causing_ts < ts + dur
),
-- Where the thread of such a call begins (1) and ends (-1) a capture.
mark AS (
  SELECT
    slice_id,
    track_id,
    ts,
    CASE WHEN name LIKE '%StreamBeginCapture%' THEN 1 ELSE -1 END AS change
  FROM whole_launch
  WHERE (name LIKE '%StreamBeginCapture%' OR name LIKE '%StreamEndCapture%')
    AND track_id IN (SELECT track_id FROM idle)
),
captured AS (
  SELECT i.slice_id
  FROM idle AS i
  JOIN mark AS m ON m.track_id = i.track_id AND m.ts <= i.ts
  GROUP BY i.slice_id
  HAVING sum(m.change) > 0
),
placed AS (
  SELECT
    i.slice_id,
    i.trace_id,
    i.ts,
    i.name,
    i.kind,
    row_number() OVER (PARTITION BY i.trace_id ORDER BY i.kind DESC, i.ts, i.slice_id) AS place
  FROM idle AS i
  WHERE i.slice_id NOT IN (SELECT slice_id FROM captured)
    AND i.slice_id NOT IN (SELECT slice_id FROM surrounding WHERE slice_id IS NOT NULL)
),
total AS (
  SELECT c.trace_id, count(*) AS n_calls
  FROM launch AS c
  JOIN named AS n ON n.name = c.name
  WHERE n.kind IS NOT NULL
  GROUP BY c.trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    sum(CASE WHEN p.kind = 'kernel' THEN 1 ELSE 0 END)::BIGINT AS n_kernels,
    max(a.n_calls) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60)
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN total AS a ON a.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'launch_without_work' AS check_name,
  CASE WHEN f.n_kernels > 0 THEN 'warning' ELSE 'note' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  CASE
    WHEN f.n_kernels > 0
    THEN 'The device work of these calls is not in the trace (' || f.n_kernels
      || ' launch kernels or graphs), so device time is missing.'
    ELSE 'Copies or memsets have no device work; calls of 0 bytes cause none.'
  END AS meaning,
  'Record device activities from before the first launch until the device is idle; a '
    || 'larger profiler buffer loses less.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
