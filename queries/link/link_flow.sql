/* ---
name = "link_flow"
version = 2
title = "Arrows the source recorded between slices"
help = """The points of an arrow share category, name and id; each step and end is linked to the point
before it. Arrows that only repeat what correlation ids say (ac2g, async_cpu_to_gpu) are not points
that bind to slices, so they make no links here; link_launch makes them. Arrows from forward to
backward operators (fwdbwd) are links of their own kind, link_forward_backward's."""
grain = ["from_id", "to_id", "rule"]
requires = { schema = ">=1", rows = ["flow_point"] }

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice the arrow comes from"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice it goes to"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "flow"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "recorded: and the arrow's category"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1"

[changes]
2 = "arrows from forward to backward operators are left to link_forward_backward"
1 = "first version"
--- */
WITH hop AS (
  SELECT
    slice_id AS to_id,
    phase,
    category,
    lag(slice_id) OVER arrow AS from_id
  FROM flow_point
  WHERE trace_id = $trace_id::BIGINT
    AND slice_id IS NOT NULL
    AND category IS DISTINCT FROM 'fwdbwd'
  WINDOW arrow AS (
    PARTITION BY category, name, flow_key
    ORDER BY ts, CASE phase WHEN 's' THEN 0 WHEN 't' THEN 1 ELSE 2 END, id
  )
)
SELECT DISTINCT
  from_id,
  to_id,
  'flow' AS kind,
  concat_ws(':', 'recorded', category) AS rule,
  1::DOUBLE AS confidence
FROM hop
WHERE phase <> 's'
  AND from_id IS NOT NULL
  AND from_id <> to_id
ORDER BY from_id, to_id, rule
