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
WITH RECURSIVE operator AS (
  -- Slices are numbered by category first, so the operators of a trace are one range of ids.
  SELECT min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM cpu_op
  WHERE trace_id = $trace_id::BIGINT
),
direct AS NOT MATERIALIZED (
  SELECT s.id AS launch_id, s.parent_id AS above_id
  FROM slice AS s
  SEMI JOIN launch AS l ON l.slice_id = s.id AND l.trace_id = $trace_id::BIGINT
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- The parent of most calls is an operator; only the others are climbed from, because what a
-- recursive query has found so far cannot leave memory.
climb AS (
  SELECT d.launch_id, d.above_id, false AS is_operator
  FROM direct AS d
  CROSS JOIN operator AS o
  WHERE d.above_id NOT BETWEEN o.first_id AND o.last_id
  UNION ALL
  SELECT c.launch_id, s.parent_id, s.parent_id BETWEEN o.first_id AND o.last_id
  FROM slice AS s
  JOIN climb AS c ON c.above_id = s.id
  CROSS JOIN operator AS o
  WHERE NOT c.is_operator
    AND s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
)
SELECT
  above_id AS from_id,
  launch_id AS to_id,
  'op_launch' AS kind,
  'containment' AS rule,
  1::DOUBLE AS confidence
FROM (
  SELECT d.launch_id, d.above_id
  FROM direct AS d
  CROSS JOIN operator AS o
  WHERE d.above_id BETWEEN o.first_id AND o.last_id
  UNION ALL
  SELECT launch_id, above_id
  FROM climb
  WHERE is_operator
)
ORDER BY to_id
