/* ---
name = "counter_cause"
version = 1
title = "Launching call and operators of each slice with hardware counters"
help = """
Device work has the call and operator of gpu_op_cause. A range of CUPTI's range profiler has
neither: its ranges are kernels in launch order, so the n-th range belongs to the n-th
kernel-launching call if the trace has as many calls as ranges, and otherwise to no call. The
innermost operator is the one around the call; the outermost operator is the last one reached by
climbing the parents.
"""
grain = ["slice_id"]
requires = { schema = ">=6" }
scale = "trace"
columns = ["slice_id", "trace_id", "launch_id", "cpu_op_id", "outer_op_id"]

[column]
slice_id.help = "Slice with counters"
launch_id.help = "Launching call; NULL: unknown"
cpu_op_id.help = "Innermost operator around the call; NULL: none"

[column.outer_op_id]
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Outermost operator around the call; NULL: none"

[changes]
1 = "first version"
--- */
WITH RECURSIVE measured AS (
  SELECT DISTINCT slice_id, trace_id FROM metric WHERE slice_id IS NOT NULL
),
profiler_range AS (
  SELECT
    m.slice_id,
    m.trace_id,
    row_number() OVER (PARTITION BY m.trace_id ORDER BY s.ts, s.id) AS place,
    count(*) OVER (PARTITION BY m.trace_id) AS n_ranges
  FROM whole_slice AS s
  JOIN measured AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
  WHERE s.category = 'cuda_profiler_range'
),
kernel_call AS (
  SELECT
    slice_id,
    trace_id,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS place,
    count(*) OVER (PARTITION BY trace_id) AS n_calls
  FROM whole_launch
  WHERE trace_id IN (SELECT trace_id FROM profiler_range)
    AND regexp_matches(name, '^(cuda|cu|hip)(Ext)?(Module)?Launch(Cooperative)?Kernel')
),
caused AS (
  SELECT r.slice_id, r.trace_id, c.slice_id AS launch_id
  FROM profiler_range AS r
  LEFT JOIN kernel_call AS c
    ON c.trace_id = r.trace_id AND c.place = r.place AND c.n_calls = r.n_ranges
  UNION ALL
  SELECT g.slice_id, g.trace_id, g.launch_id
  FROM gpu_op_cause AS g
  JOIN measured AS m ON m.slice_id = g.slice_id AND m.trace_id = g.trace_id
),
-- Only the threads that matter: otherwise each round of the search would read all slices.
calling AS MATERIALIZED (
  SELECT slice_id, trace_id, launch_id FROM caused WHERE launch_id IS NOT NULL
),
host AS MATERIALIZED (
  SELECT id, trace_id, parent_id
  FROM whole_slice
  WHERE trace_id IN (SELECT trace_id FROM calling)
    AND track_id IN (
      SELECT track_id FROM whole_launch WHERE trace_id IN (SELECT trace_id FROM calling)
    )
),
ancestor AS (
  SELECT c.slice_id, c.trace_id, h.parent_id AS above_id, 0 AS height
  FROM host AS h
  JOIN calling AS c ON c.launch_id = h.id AND c.trace_id = h.trace_id
  UNION ALL
  SELECT c.slice_id, c.trace_id, h.parent_id, c.height + 1
  FROM host AS h
  JOIN ancestor AS c ON c.above_id = h.id AND c.trace_id = h.trace_id
),
operator AS (
  SELECT
    c.slice_id,
    min_by(o.slice_id, c.height) AS cpu_op_id,
    max_by(o.slice_id, c.height) AS outer_op_id
  FROM whole_cpu_op AS o
  JOIN ancestor AS c ON c.above_id = o.slice_id AND c.trace_id = o.trace_id
  GROUP BY c.slice_id
)
SELECT c.slice_id, c.trace_id, c.launch_id, o.cpu_op_id, o.outer_op_id
FROM caused AS c
LEFT JOIN operator AS o ON o.slice_id = c.slice_id
ORDER BY c.slice_id
