/* ---
name = "link_annotation"
version = 1
title = "Links from annotations to the device work launched inside them"
help = """
From the innermost host annotation that contains the causing call, on the call's thread. Steps are
excluded; they have their own links (link_step). Enclosing annotations are parents of the annotation
(slice.parent_id).
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["annotation", "gpu_op"] }
portable = false
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the annotation"
to_id.help = "Slice of the device work"
kind.help = "annotation"
rule.help = "containment"
confidence.help = "Confidence of the launch link"

[changes]
1 = "first version"
--- */
WITH RECURSIVE named AS MATERIALIZED (
  SELECT a.slice_id
  FROM annotation AS a
  ANTI JOIN step AS s ON s.slice_id = a.slice_id AND s.trace_id = $trace_id::BIGINT
  WHERE a.trace_id = $trace_id::BIGINT
    AND a.side = 'host'
),
-- Slices are numbered by category first, so the annotations of a trace are one range of ids.
bound AS (
  SELECT min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM named
),
work AS MATERIALIZED (
  SELECT g.slice_id, l.from_id AS call_id, l.confidence
  FROM gpu_op AS g
  JOIN link AS l ON l.to_id = g.slice_id
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
    AND l.trace_id = $trace_id::BIGINT
    AND l.kind = 'launch'
    AND l.link_set = 'default'
),
call AS MATERIALIZED (
  SELECT s.id, s.parent_id AS above_id
  FROM slice AS s
  SEMI JOIN work AS w ON w.call_id = s.id
  CROSS JOIN (SELECT 1 FROM named LIMIT 1) AS any_named
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- Each slice around calls is climbed from once, however many calls it holds.
climb AS (
  SELECT above_id AS start_id, above_id AS at_id, above_id BETWEEN b.first_id AND b.last_id AND
    above_id IN (SELECT slice_id FROM named) AS is_named
  FROM (SELECT DISTINCT above_id FROM call)
  CROSS JOIN bound AS b
  UNION ALL
  SELECT c.start_id, s.parent_id, n.slice_id IS NOT NULL
  FROM slice AS s
  JOIN climb AS c ON c.at_id = s.id
  LEFT JOIN named AS n ON n.slice_id = s.parent_id
  WHERE NOT c.is_named
    AND s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
)
SELECT
  c.at_id AS from_id,
  w.slice_id AS to_id,
  'annotation' AS kind,
  'containment' AS rule,
  w.confidence
FROM work AS w
JOIN call AS l ON l.id = w.call_id
JOIN climb AS c ON c.start_id = l.above_id AND c.is_named
ORDER BY to_id
