/* ---
name = "annotation_above"
version = 1
title = "Nearest enclosing annotation of each host annotation"
help = """
Climbs the parent slices on the same track, skipping slices that are not annotations. Steps are
annotations. Outermost annotations have no row.
"""
grain = ["slice_id"]
scale = "trace"
columns = ["slice_id", "above_id"]

[column]
slice_id.help = "Annotation"
above_id = { type = "BIGINT", unit = "ref slice.id", help = "Nearest enclosing annotation" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE named AS MATERIALIZED (
  SELECT slice_id
  FROM whole_annotation
  WHERE side = 'host'
),
parent AS MATERIALIZED (
  SELECT s.id AS slice_id, s.depth, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM whole_slice AS s
  SEMI JOIN (SELECT * FROM named WHERE slice_id >= 0) AS n ON n.slice_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE s.parent_id IS NOT NULL
),
-- What lies around other slices and can be above those not found yet. (Materialized: the database would
-- hash all slices first.)
around AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL AND is_leaf IS NULL
    AND depth < (SELECT max(depth) FROM parent WHERE NOT is_found)
),
search AS (
  SELECT slice_id, at_id, is_found
  FROM parent
  UNION ALL
  SELECT r.slice_id, s.parent_id, a.slice_id IS NOT NULL
  FROM around AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE NOT r.is_found
)
SELECT slice_id, at_id AS above_id
FROM search
WHERE is_found
