/* ---
name = "link_python"
version = 1
title = "Python frame → the operator called in it"
help = """The innermost frame that contains the operator on the same thread, through any operators and
annotations between them: the line of the program that ran it."""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["python_call", "cpu_op"] }
portable = false

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the Python frame"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the operator"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "python"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "containment"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1"

[changes]
1 = "first version"
--- */
WITH RECURSIVE frame AS (
  -- Slices are numbered by category first, so the frames of a trace are one range of ids.
  SELECT min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM python_call
  WHERE trace_id = $trace_id::BIGINT
),
above AS MATERIALIZED (
  SELECT
    s.id,
    s.parent_id AS above_id,
    s.parent_id BETWEEN f.first_id AND f.last_id AS is_frame
  FROM slice AS s
  SEMI JOIN cpu_op AS o ON o.slice_id = s.id AND o.trace_id = $trace_id::BIGINT
  CROSS JOIN frame AS f
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
    AND f.first_id IS NOT NULL
),
-- Each slice between an operator and its frame is climbed from once, however much is below it.
climb AS (
  SELECT DISTINCT above_id AS start_id, above_id, false AS is_frame
  FROM above
  WHERE NOT is_frame
  UNION ALL
  SELECT c.start_id, s.parent_id, s.parent_id BETWEEN f.first_id AND f.last_id
  FROM slice AS s
  JOIN climb AS c ON c.above_id = s.id
  CROSS JOIN frame AS f
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
  JOIN climb AS c ON c.start_id = a.above_id AND c.is_frame
  WHERE NOT a.is_frame
)
ORDER BY to_id
