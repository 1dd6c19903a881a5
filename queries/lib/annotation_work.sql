/* ---
name = "annotation_work"
version = 1
title = "Pairs of host annotation and device work it caused"
help = """
An annotation caused the work whose launch lies in it on its own thread, also through nested
annotations (links of kind annotation). A step caused the work launched during it by any thread of
its process (links of kind step, by launch). Work without a recorded launch has no row.
"""
grain = ["annotation_id", "slice_id"]
requires = { schema = ">=1", queries = ["annotation_above@1"] }
portable = false
columns = ["annotation_id", "slice_id", "is_self"]

[column]
annotation_id = { type = "BIGINT", unit = "ref slice.id", help = "Annotation or step" }
slice_id.help = "Kernel, copy or memset"
is_self = { type = "BOOLEAN", unit = "bool", help = "Whether no nested annotation contains the call as well" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE above AS MATERIALIZED (
  SELECT slice_id, above_id FROM annotation_above()
),
chain AS (
  SELECT a.slice_id AS inner_id, a.slice_id AS annotation_id
  FROM annotation AS a
  ANTI JOIN step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host'
  UNION ALL
  SELECT c.inner_id, a.above_id
  FROM above AS a
  JOIN chain AS c ON c.annotation_id = a.slice_id
),
innermost AS (
  SELECT from_id AS inner_id, to_id AS slice_id
  FROM link
  WHERE kind = 'annotation'
    AND link_set = 'default'
)
SELECT c.annotation_id, i.slice_id, c.annotation_id = c.inner_id AS is_self
FROM innermost AS i
JOIN (
  SELECT k.inner_id, k.annotation_id
  FROM chain AS k
  ANTI JOIN step AS s ON s.slice_id = k.annotation_id
) AS c ON c.inner_id = i.inner_id
UNION ALL
SELECT l.from_id, l.to_id, i.slice_id IS NULL
FROM link AS l
LEFT JOIN innermost AS i ON i.slice_id = l.to_id
WHERE l.kind = 'step'
  AND l.rule = 'launch'
  AND l.link_set = 'default'
