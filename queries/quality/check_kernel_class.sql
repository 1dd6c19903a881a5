/* ---
name = "check_kernel_class"
version = 1
title = "Device work of unknown class"
help = """
Work is compute, communication or memory; waits are sync. An unnamed kernel counts as compute,
because the class is derived from the name.
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
n_looked_at.help = "Number of operations on devices of the trace, including waits"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name, class"

[changes]
1 = "first version"
--- */
WITH placed AS (
  SELECT
    slice_id,
    trace_id,
    ts,
    name,
    class,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS place
  FROM gpu_op
  WHERE class NOT IN ('compute', 'communication', 'memory', 'sync')
    OR (kind = 'kernel' AND coalesce(name, '') = '')
),
total AS (
  SELECT trace_id, count(*) AS n_ops
  FROM gpu_op
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    max(a.n_ops) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60) || ', ' || p.class
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
  'kernel_class' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The class of the device work is unknown or guessed; breakdowns by class exclude or '
    || 'misplace it.' AS meaning,
  'Report the kernel name and the device it runs on.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
