/* ---
name = "link_python"
version = 1
title = "Links from Python frames to the operators called in them"
help = """
The innermost frame that contains the operator on the same thread, across operators and annotations
in between: the program line that ran it.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["python_call", "cpu_op"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the Python frame"
to_id.help = "Slice of the operator"
kind.help = "python"
rule.help = "containment"
confidence.help = "1"

[changes]
1 = "first version"
--- */
WITH RECURSIVE frame AS (
  -- Slices are numbered by category first, so the frames of a trace are one range of ids.
  SELECT trace_id, min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM python_call
  WHERE trace_id = $trace_id::BIGINT
  GROUP BY trace_id
),
above AS MATERIALIZED (
  SELECT
    s.id,
    s.parent_id AS above_id,
    s.parent_id BETWEEN f.first_id AND f.last_id AS is_frame
  FROM slice AS s
  SEMI JOIN cpu_op AS o ON o.slice_id = s.id AND o.trace_id = $trace_id::BIGINT
  JOIN frame AS f ON f.trace_id = s.trace_id
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- Each slice is climbed from once, however much is below it.
ancestor AS (
  SELECT DISTINCT above_id AS start_id, above_id, false AS is_frame
  FROM above
  WHERE NOT is_frame
  UNION ALL
  SELECT c.start_id, s.parent_id, s.parent_id BETWEEN f.first_id AND f.last_id
  FROM slice AS s
  JOIN ancestor AS c ON c.above_id = s.id
  JOIN frame AS f ON f.trace_id = s.trace_id
  WHERE NOT c.is_frame
    AND s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
)
SELECT
  above_id AS from_id,
  id AS to_id,
  'python' AS kind,
  'containment' AS rule,
  1::DOUBLE AS confidence
FROM (
  SELECT id, above_id
  FROM above
  WHERE is_frame
  UNION ALL
  SELECT a.id, c.above_id
  FROM above AS a
  JOIN ancestor AS c ON c.start_id = a.above_id AND c.is_frame
  WHERE NOT a.is_frame
)
ORDER BY to_id
