/* ---
name = "slice_children"
version = 1
title = "Direct children of a slice, and the device work it launched"
help = """
Rows are the slices whose parent is the slice, and the kernels, copies and memsets it caused.
device_ns sums the durations of the device work in or below each row; overlapping work counts twice.
A time window hides none of them.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["host_device_time@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "relation", "slice_id", "track_id", "category", "name", "start_ns",
  "dur_ns", "n_children", "n_device_ops", "device_ns",
]

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "Slice to look into"

[column]
track_id.help = "Track of the slice"
category.help = "Category of the slice"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration; negative and unfinished ones are 0"
n_children.help = "Number of slices directly below it"
n_device_ops.help = "Number of kernels, copies and memsets launched in or below it; 1 for such work itself"

[column.relation]
type = "VARCHAR"
unit = "text"
check = "IN ('child', 'launched')"
help = "child: directly below the slice; launched: device work caused by it"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT id AS slice_id, 'child' AS relation
  FROM whole_slice
  WHERE parent_id = $slice_id::BIGINT
  UNION ALL
  SELECT l.to_id, 'launched'
  FROM whole_link AS l
  WHERE l.from_id = $slice_id::BIGINT
    AND l.kind = 'launch'
    AND l.link_set = 'default'
),
grandchild AS (
  SELECT s.parent_id AS slice_id, count(*) AS n_children
  FROM whole_slice AS s
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
FROM whole_slice AS s
JOIN child AS c ON c.slice_id = s.id
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN grandchild AS g ON g.slice_id = s.id
LEFT JOIN host_device_time() AS h ON h.slice_id = s.id
ORDER BY s.ts, c.relation, s.id
