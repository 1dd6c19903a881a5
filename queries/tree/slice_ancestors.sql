/* ---
name = "slice_ancestors"
version = 1
title = "What a slice lies in, and of device work what caused it, outermost first"
help = """
From device work the way leads to the call that launched it, from a call made for an operator of
another thread to that operator, and else to the slice right above on the same track. The slice
itself is the last row.
"""
grain = ["slice_id"]
portable = false

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "The slice to start from"

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
name = "level"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Steps from the slice asked for; 0 is that slice"

[[column]]
name = "relation"
type = "VARCHAR"
unit = "text"
check = "IN ('itself', 'parent', 'launch', 'operator')"
help = "What it is to the row after it: parent, launch or operator; itself for the slice asked for"

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

[changes]
1 = "first version"
--- */
WITH RECURSIVE cause AS MATERIALIZED (
  SELECT to_id, from_id, CASE kind WHEN 'launch' THEN 'launch' ELSE 'operator' END AS relation
  FROM link
  WHERE link_set = 'default'
    AND (kind = 'launch' OR (kind = 'op_launch' AND rule <> 'containment'))
),
upward AS (
  SELECT $slice_id::BIGINT AS slice_id, 0::BIGINT AS level, 'itself' AS relation
  UNION ALL
  SELECT
    coalesce(c.from_id, s.parent_id),
    u.level + 1,
    coalesce(c.relation, 'parent')
  FROM slice AS s
  JOIN upward AS u ON u.slice_id = s.id
  LEFT JOIN cause AS c ON c.to_id = s.id
  WHERE coalesce(c.from_id, s.parent_id) IS NOT NULL
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  u.level,
  u.relation,
  s.id AS slice_id,
  s.track_id,
  s.category,
  s.name,
  s.ts AS start_ns,
  greatest(s.dur, 0) AS dur_ns
FROM slice AS s
JOIN upward AS u ON u.slice_id = s.id
JOIN trace AS t ON t.id = s.trace_id
ORDER BY u.level DESC
