/* ---
name = "op_top"
version = 1
title = "Outermost operator above each operator that launched device work itself"
help = """
Climbs the parent slices on the same track, skipping slices that are not operators. An operator
without an enclosing one is its own.
"""
grain = ["slice_id"]
scale = "trace"
columns = ["slice_id", "top_id"]

[column]
slice_id.help = "Operator"
top_id = { type = "BIGINT", unit = "ref slice.id", help = "Outermost operator above it, or itself" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE origin AS MATERIALIZED (
  SELECT DISTINCT o.from_id AS slice_id
  FROM whole_link AS c
  JOIN whole_link AS o ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE c.kind = 'launch'
    AND c.link_set = 'default'
  UNION
  SELECT from_id FROM whole_link WHERE kind = 'op_device' AND link_set = 'default'
),
-- What lies around other slices: all that is searched above the first parents.
around AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL AND is_leaf IS NULL
),
upward AS (
  SELECT o.slice_id, s.parent_id AS at_id, 1 AS level
  FROM whole_slice AS s
  JOIN origin AS o ON o.slice_id = s.id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT u.slice_id, s.parent_id, u.level + 1
  FROM around AS s
  JOIN upward AS u ON u.at_id = s.id
),
above AS MATERIALIZED (
  SELECT slice_id, at_id, level
  FROM upward
  UNION ALL
  SELECT slice_id, slice_id, 0
  FROM origin
),
-- The operators among them: a semijoin of all operators with these keeps these in memory.
op AS MATERIALIZED (
  SELECT o.slice_id
  FROM whole_cpu_op AS o
  -- Always true: with conditions the estimate of these rows is small, so that they are hashed, and
  -- not all operators.
  SEMI JOIN (SELECT at_id FROM above WHERE at_id >= 0 AND level >= 0 AND slice_id >= 0) AS a
    ON a.at_id = o.slice_id
)
SELECT u.slice_id, arg_max(u.at_id, u.level) AS top_id
FROM above AS u
SEMI JOIN op AS o ON o.slice_id = u.at_id
GROUP BY u.slice_id
