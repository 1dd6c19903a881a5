/* ---
name = "annotation_above"
version = 1
title = "The annotation right above each annotation on the host"
help = """
Found by climbing the slices above on the same track, over whatever is no annotation. Steps are
annotations too. Outermost annotations have no row.
"""
grain = ["slice_id"]
portable = false

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The annotation"

[[column]]
name = "above_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The annotation right above it"

[changes]
1 = "first version"
--- */
WITH RECURSIVE named AS MATERIALIZED (
  SELECT slice_id
  FROM annotation
  WHERE side = 'host'
),
search AS (
  SELECT s.id AS slice_id, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM slice AS s
  SEMI JOIN named AS n ON n.slice_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT r.slice_id, s.parent_id, a.slice_id IS NOT NULL
  FROM slice AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE NOT r.is_found
    AND s.parent_id IS NOT NULL
)
SELECT slice_id, at_id AS above_id
FROM search
WHERE is_found
