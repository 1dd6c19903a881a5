/* ---
name = "slice_children"
version = 2
title = "Direct children of a slice, and the device work it launched"
help = """
Rows are the slices whose parent is the slice, and the kernels, copies and memsets it caused. An
operator also caused what calls of other threads launched for it while it ran, its work without a
recorded call, and the work of graphs that replay it. device_ns sums the durations of the device
work in or below each row, as host_device_time does; overlapping work counts twice. Rows are the
same in any time window.
"""
grain = ["slice_id"]
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
2 = "device work outside of the time window counts; operators caused work of other threads and of graphs"
1 = "first version"
--- */
-- The host slice that device work counts for, as in host_device_time.
WITH RECURSIVE work AS MATERIALIZED (
  SELECT
    coalesce(o.from_id, c.from_id) AS slice_id, g.slice_id AS work_id, greatest(g.dur, 0) AS dur_ns
  FROM whole_gpu_op AS g
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
    AND o.rule <> 'containment' AND o.confidence > 0.5
  WHERE g.kind <> 'sync'
  UNION ALL
  SELECT d.from_id, g.slice_id, greatest(g.dur, 0)
  FROM whole_gpu_op AS g
  JOIN whole_link AS d ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.link_set = 'default'
  WHERE g.kind <> 'sync'
),
launched AS (
  SELECT to_id AS slice_id
  FROM whole_link
  WHERE from_id = $slice_id::BIGINT
    AND kind = 'launch'
    AND link_set = 'default'
  UNION
  SELECT work_id
  FROM work
  WHERE slice_id = $slice_id::BIGINT
),
child AS (
  SELECT id AS slice_id, 'child' AS relation
  FROM whole_slice
  WHERE parent_id = $slice_id::BIGINT
  UNION ALL
  SELECT slice_id, 'launched'
  FROM launched
),
nested AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL
    AND trace_id IN (SELECT trace_id FROM whole_slice WHERE id = $slice_id::BIGINT)
),
below AS (
  SELECT slice_id AS child_id, slice_id, 0 AS level
  FROM child
  UNION ALL
  SELECT b.child_id, n.id, b.level + 1
  FROM nested AS n
  JOIN below AS b ON b.slice_id = n.parent_id
),
grandchild AS (
  SELECT child_id, count(*) AS n_children
  FROM below
  WHERE level = 1
  GROUP BY child_id
),
total AS (
  SELECT b.child_id, count(*) AS n_device_ops, sum(w.dur_ns)::BIGINT AS device_ns
  FROM below AS b
  JOIN work AS w ON w.slice_id = b.slice_id
  GROUP BY b.child_id
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
LEFT JOIN grandchild AS g ON g.child_id = s.id
LEFT JOIN total AS h ON h.child_id = s.id
ORDER BY s.ts, c.relation, s.id
