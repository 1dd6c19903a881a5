/* ---
name = "check_work_without_launch"
version = 2
title = "Device work without a recorded launch"
help = """
Kernels, copies and memsets without a link from the call that caused them. A stream executes in
order, so those that start before the first operation of their stream with a recorded launch were
launched before the recording began.
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
n_looked_at.help = "Number of kernels, copies and memsets of the trace"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name"

[changes]
2 = "calls and work outside of the time window count as recorded"
1 = "first version"
--- */
WITH orphan AS (
  SELECT g.slice_id, g.trace_id, g.device_id, g.stream, g.ts, g.name
  FROM gpu_op AS g
  WHERE g.kind <> 'sync'
    AND NOT EXISTS (
      SELECT 1
      FROM whole_link AS l
      WHERE l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
    )
),
-- The start of the first work of a stream with a recorded launch.
known AS (
  SELECT g.trace_id, g.device_id, g.stream, min(g.ts) AS first_ts
  FROM whole_gpu_op AS g
  SEMI JOIN (
    SELECT to_id FROM whole_link WHERE kind = 'launch' AND link_set = 'default'
  ) AS l ON l.to_id = g.slice_id
  WHERE g.kind <> 'sync'
    AND g.trace_id IN (SELECT trace_id FROM orphan)
  GROUP BY g.trace_id, g.device_id, g.stream
),
placed AS (
  SELECT
    o.slice_id,
    o.trace_id,
    o.ts,
    o.name,
    k.first_ts IS NULL OR o.ts < k.first_ts AS is_early,
    row_number() OVER (PARTITION BY o.trace_id ORDER BY o.ts, o.slice_id) AS place
  FROM orphan AS o
  LEFT JOIN known AS k
    ON k.trace_id = o.trace_id
    AND coalesce(k.device_id, -1) = coalesce(o.device_id, -1)
    AND coalesce(k.stream, -1) = coalesce(o.stream, -1)
),
total AS (
  SELECT trace_id, count(*) AS n_ops
  FROM gpu_op
  WHERE kind <> 'sync'
  GROUP BY trace_id
),
host AS (
  SELECT DISTINCT trace_id
  FROM whole_launch
),
finding AS (
  SELECT
    p.trace_id,
    max(h.trace_id) IS NULL AS is_device_only,
    count(*) AS n_found,
    max(a.n_ops) AS n_looked_at,
    sum(CASE WHEN p.is_early THEN 1 ELSE 0 END)::BIGINT AS n_early,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60)
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN total AS a ON a.trace_id = p.trace_id
  LEFT JOIN host AS h ON h.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'work_without_launch' AS check_name,
  CASE WHEN f.is_device_only THEN 'note' ELSE 'warning' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  CASE
    WHEN f.is_device_only
    THEN 'The recording has no host calls, so device work belongs to no operator or step.'
    ELSE 'Device work has no recorded launch, so it belongs to no operator or step; '
      || f.n_early || ' operations were launched before the recording began.'
  END AS meaning,
  'Record host calls too; let the device finish before the recording begins, or exclude '
    || 'the first step.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
