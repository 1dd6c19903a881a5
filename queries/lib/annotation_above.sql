/* ---
name = "annotation_above"
version = 1
title = "Nearest enclosing annotation of each host annotation"
help = """
Climbs the parent slices on the same track, skipping slices that are not annotations. Steps are
annotations. Outermost annotations have no row.
"""
grain = ["slice_id"]
portable = false
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
search AS (
  SELECT s.id AS slice_id, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM whole_slice AS s
  SEMI JOIN named AS n ON n.slice_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT r.slice_id, s.parent_id, a.slice_id IS NOT NULL
  FROM whole_slice AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE NOT r.is_found
    AND s.parent_id IS NOT NULL
)
SELECT slice_id, at_id AS above_id
FROM search
WHERE is_found
