/* ---
name = "check_work_without_launch"
version = 1
title = "Device work whose launch is not recorded"
help = """
Kernels, copies and memsets without a link from the call that caused them. A stream works in
order, so those that start before the first of their stream whose launch is recorded were launched
before the recording began.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "The trace; NULL: the finding is of the whole run"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "check_name"
type = "VARCHAR"
unit = "text"
help = "What was looked for"

[[column]]
name = "severity"
type = "VARCHAR"
unit = "text"
check = "IN ('error', 'warning', 'note')"
help = "error: figures are wrong; warning: some may be; note: good to know"

[[column]]
name = "n_found"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was found"

[[column]]
name = "n_looked_at"
type = "BIGINT"
unit = "count"
nullable = true
help = "Kernels, copies and memsets of the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three: slice, start on the scale of slice.ts, name"

[[column]]
name = "meaning"
type = "VARCHAR"
unit = "text"
help = "What it is, and what it does to figures"

[[column]]
name = "remedy"
type = "VARCHAR"
unit = "text"
help = "What can be done"

[changes]
1 = "first version"
--- */
WITH orphan AS (
  SELECT g.slice_id, g.trace_id, g.device_id, g.stream, g.ts, g.name
  FROM gpu_op AS g
  WHERE g.kind <> 'sync'
    AND NOT EXISTS (
      SELECT 1
      FROM link AS l
      WHERE l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
    )
),
-- When the first work of a stream starts whose launch is recorded
known AS (
  SELECT g.trace_id, g.device_id, g.stream, min(g.ts) AS first_ts
  FROM gpu_op AS g
  WHERE g.kind <> 'sync'
    AND g.trace_id IN (SELECT trace_id FROM orphan)
    AND g.slice_id NOT IN (SELECT slice_id FROM orphan)
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
  FROM launch
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
    THEN 'The recording has no host calls, so that device work belongs to no operator or step.'
    ELSE 'Device work has no call that caused it, so it belongs to no operator or step; '
      || f.n_early || ' of it was launched before the recording began.'
  END AS meaning,
  'Record host calls too; where steps run, let the device finish before the recording '
    || 'begins, or pass over its first step.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
