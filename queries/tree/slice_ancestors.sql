/* ---
name = "slice_ancestors"
version = 2
title = "Enclosing slices of a slice, and the causes of device work, outermost first"
help = """
Device work leads to the call that launched it, or to its operator if no call is recorded; a call
made for an operator of another thread leads to that operator, if it runs when the call begins; any
other slice leads to its parent on the same track. The slice itself is the last row. A time window hides none of them.
"""
grain = ["slice_id"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "level", "relation", "slice_id", "track_id", "category", "name",
  "start_ns", "dur_ns",
]

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "Slice to start from"

[column]
level = { type = "BIGINT", unit = "count", check = ">= 0", help = "Distance from the requested slice; 0 is that slice" }
track_id.help = "Track of the slice"
category.help = "Category of the slice"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration; negative and unfinished ones are 0"

[column.relation]
type = "VARCHAR"
unit = "text"
check = "IN ('itself', 'parent', 'launch', 'operator')"
help = "Relation to the following row: parent, launch or operator; itself for the requested slice"

[changes]
2 = "operators that end before the call are ignored; work without a recorded call leads to its operator"
1 = "first version"
--- */
-- An External id that is left over from an operator that has ended says nothing of where the call was
-- made.
WITH RECURSIVE cause AS MATERIALIZED (
  SELECT to_id, from_id, CASE kind WHEN 'launch' THEN 'launch' ELSE 'operator' END AS relation
  FROM whole_link
  WHERE link_set = 'default'
    AND (kind = 'launch' OR (kind = 'op_launch' AND rule <> 'containment' AND confidence > 0.5))
  UNION ALL
  SELECT d.to_id, d.from_id, 'operator'
  FROM whole_link AS d
  WHERE d.kind = 'op_device'
    AND d.link_set = 'default'
    AND NOT EXISTS (
      FROM whole_link AS l
      WHERE l.to_id = d.to_id AND l.kind = 'launch' AND l.link_set = 'default'
    )
),
upward AS (
  SELECT $slice_id::BIGINT AS slice_id, 0::BIGINT AS level, 'itself' AS relation
  UNION ALL
  SELECT
    coalesce(c.from_id, s.parent_id),
    u.level + 1,
    coalesce(c.relation, 'parent')
  FROM whole_slice AS s
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
FROM whole_slice AS s
JOIN upward AS u ON u.slice_id = s.id
JOIN trace AS t ON t.id = s.trace_id
ORDER BY u.level DESC
