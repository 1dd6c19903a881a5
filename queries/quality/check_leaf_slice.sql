/* ---
name = "check_leaf_slice"
version = 1
title = "Slice with children that is marked as a leaf"
help = """
Queries that ancestor from slice to slice do not read leaves. A time window hides children outside of
it, so check without one.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=28" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of leaves of the trace"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name"

[changes]
1 = "first version"
--- */
WITH found AS (
  SELECT
    id AS slice_id,
    trace_id,
    ts,
    name,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, id) AS place
  FROM slice
  WHERE is_leaf AND id IN (SELECT parent_id FROM slice WHERE parent_id IS NOT NULL)
),
total AS (
  SELECT trace_id, count(*) AS n_leaves
  FROM slice
  WHERE is_leaf
  GROUP BY trace_id
),
finding AS (
  SELECT
    o.trace_id,
    count(*) AS n_found,
    max(a.n_leaves) AS n_looked_at,
    string_agg(
      CASE
        WHEN o.place <= 3
        THEN 'slice ' || o.slice_id || ' at ' || o.ts || ' ns: ' || left(coalesce(o.name, '(no name)'), 60)
      END,
      '; ' ORDER BY o.place
    ) AS examples
  FROM found AS o
  JOIN total AS a ON a.trace_id = o.trace_id
  GROUP BY o.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'leaf_slice' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Slices that contain others are marked as leaves; device times of operators lack what they launch.' AS meaning,
  'Import the file again; if the importer is a plug-in, report it to its authors.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
