/* ---
name = "link_op_launch"
version = 1
title = "Operator → the runtime or driver call made inside it"
help = """The operator is the innermost cpu_op that contains the call on the same thread: the first
operator met when climbing the call's parents."""
grain = ["to_id"]

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the operator"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the call"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "op_launch"

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
WITH RECURSIVE direct AS NOT MATERIALIZED (
  SELECT s.id AS launch_id, s.parent_id AS above_id, o.slice_id IS NOT NULL AS is_operator
  FROM slice AS s
  SEMI JOIN launch AS l ON l.slice_id = s.id AND l.trace_id = $trace_id::BIGINT
  LEFT JOIN cpu_op AS o ON o.slice_id = s.parent_id AND o.trace_id = $trace_id::BIGINT
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- The parent of most calls is an operator; only the others are climbed from, because what a
-- recursive query has found so far cannot leave memory.
climb AS (
  SELECT launch_id, above_id, false AS is_operator
  FROM direct
  WHERE NOT is_operator
  UNION ALL
  SELECT c.launch_id, s.parent_id, o.slice_id IS NOT NULL
  FROM climb AS c
  JOIN slice AS s ON s.id = c.above_id AND s.trace_id = $trace_id::BIGINT
  LEFT JOIN cpu_op AS o ON o.slice_id = s.parent_id AND o.trace_id = $trace_id::BIGINT
  WHERE NOT c.is_operator
    AND s.parent_id IS NOT NULL
)
SELECT
  above_id AS from_id,
  launch_id AS to_id,
  'op_launch' AS kind,
  'containment' AS rule,
  1::DOUBLE AS confidence
FROM (
  FROM direct
  UNION ALL
  FROM climb
)
WHERE is_operator
ORDER BY to_id
