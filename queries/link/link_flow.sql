/* ---
name = "link_flow"
version = 2
title = "Links from recorded flow arrows between slices"
help = """
The points of an arrow share category, name and id; each step and end is linked to the start or step
before it. Arrows that repeat correlation ids (ac2g, async_cpu_to_gpu) do not bind to slices and
make no links here; link_launch handles them. Arrows from forward to backward operators (fwdbwd)
have a kind of their own, see link_forward_backward.
"""
grain = ["from_id", "to_id", "rule"]
requires = { schema = ">=1", rows = ["flow_point"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice at the tail of the arrow"
to_id.help = "Slice at the head of the arrow"
kind.help = "flow"
rule.help = "recorded: and the category of the arrow"
confidence.help = "1"

[changes]
2 = "arrows from forward to backward operators are left to link_forward_backward"
1 = "first version"
--- */
WITH hop AS (
  SELECT
    slice_id AS to_id,
    phase,
    category,
    last_value(CASE WHEN phase <> 'f' THEN slice_id END IGNORE NULLS) OVER arrow AS from_id
  FROM flow_point
  WHERE trace_id = $trace_id::BIGINT
    AND slice_id IS NOT NULL
    AND category IS DISTINCT FROM 'fwdbwd'
  WINDOW arrow AS (
    PARTITION BY trace_id, category, name, flow_key
    ORDER BY ts, CASE phase WHEN 's' THEN 0 WHEN 't' THEN 1 ELSE 2 END, id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
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
