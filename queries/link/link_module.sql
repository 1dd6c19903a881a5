/* ---
name = "link_module"
version = 1
title = "Links from modules to the operators called in them"
help = """
The innermost frame of an nn.Module that contains the operator on the same thread. The profiler
names such frames after class and instance (nn.Module: Linear_3) and numbers them per class
(python_module_id). Operators of the backward pass run on a thread without frames: follow their
forward_backward links.
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
from_id.help = "Slice of the module's frame"
to_id.help = "Slice of the operator"
kind.help = "module"
rule.help = "containment"
confidence.help = "1"

[changes]
1 = "first version"
--- */
WITH RECURSIVE module AS MATERIALIZED (
  SELECT slice_id
  FROM python_call
  WHERE trace_id = $trace_id::BIGINT
    AND (python_module_id IS NOT NULL OR name LIKE 'nn.Module:%')
),
operator AS MATERIALIZED (
  SELECT s.id, s.parent_id AS above_id
  FROM slice AS s
  SEMI JOIN cpu_op AS o ON o.slice_id = s.id AND o.trace_id = $trace_id::BIGINT
  CROSS JOIN (SELECT 1 FROM module LIMIT 1) AS any_module
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- Slices that contain others, which can be met when climbing. Read once, not in every round.
container AS MATERIALIZED (
  SELECT s.id, s.parent_id, m.slice_id IS NOT NULL AS is_module
  FROM slice AS s
  SEMI JOIN (
    SELECT p.parent_id
    FROM slice AS p
    CROSS JOIN (SELECT 1 FROM module LIMIT 1) AS any_module
    WHERE p.trace_id = $trace_id::BIGINT
  ) AS c ON c.parent_id = s.id
  LEFT JOIN module AS m ON m.slice_id = s.id
  WHERE s.trace_id = $trace_id::BIGINT
),
-- Each slice is climbed from once, however much is below it.
ancestor AS (
  SELECT DISTINCT c.id AS start_id, c.id AS at_id, c.parent_id, c.is_module
  FROM container AS c
  SEMI JOIN operator AS o ON o.above_id = c.id
  UNION ALL
  SELECT b.start_id, c.id, c.parent_id, c.is_module
  FROM container AS c
  JOIN ancestor AS b ON b.parent_id = c.id
  WHERE NOT b.is_module
)
SELECT
  c.at_id AS from_id,
  o.id AS to_id,
  'module' AS kind,
  'containment' AS rule,
  1::DOUBLE AS confidence
FROM operator AS o
JOIN ancestor AS c ON c.start_id = o.above_id AND c.is_module
ORDER BY to_id
