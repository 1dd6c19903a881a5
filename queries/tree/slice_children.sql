/* ---
name = "slice_children"
version = 1
title = "What lies right below a slice, and the device work it launched"
help = """
Rows are the slices whose parent is the slice, and the kernels, copies and memsets whose cause it
is. device_ns adds the durations of the device work in or below each row, so that one knows where to
look next; work that overlaps counts twice.
"""
grain = ["slice_id"]
portable = false
requires = { schema = ">=1", queries = ["host_device_time@1"] }

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "The slice to look into"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "relation"
type = "VARCHAR"
unit = "text"
check = "IN ('child', 'launched')"
help = "child: right below it; launched: device work it caused"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "Where it is"

[[column]]
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its category"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length; lengths below 0, also of what never ended, are 0"

[[column]]
name = "n_children"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Slices right below it"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets launched in or below it; 1 for such work itself"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of their durations"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT id AS slice_id, 'child' AS relation
  FROM slice
  WHERE parent_id = $slice_id::BIGINT
  UNION ALL
  SELECT l.to_id, 'launched'
  FROM link AS l
  WHERE l.from_id = $slice_id::BIGINT
    AND l.kind = 'launch'
    AND l.link_set = 'default'
),
grandchild AS (
  SELECT s.parent_id AS slice_id, count(*) AS n_children
  FROM slice AS s
  SEMI JOIN child AS c ON c.slice_id = s.parent_id
  GROUP BY s.parent_id
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  c.relation,
  s.id AS slice_id,
  s.track_id,
  s.category,
  s.name,
  s.ts AS start_ns,
  greatest(s.dur, 0) AS dur_ns,
  coalesce(g.n_children, 0) AS n_children,
  CASE WHEN c.relation = 'launched' THEN 1 ELSE coalesce(h.n_device_ops, 0) END AS n_device_ops,
  CASE WHEN c.relation = 'launched' THEN greatest(s.dur, 0) ELSE coalesce(h.device_ns, 0) END
    AS device_ns
FROM slice AS s
JOIN child AS c ON c.slice_id = s.id
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN grandchild AS g ON g.slice_id = s.id
LEFT JOIN host_device_time() AS h ON h.slice_id = s.id
ORDER BY s.ts, c.relation, s.id
