/* ---
name = "et_work"
version = 2
title = "Operations and bytes of Chakra nodes, for roofline models"
help = """
The operations and bytes of an operator, derived from its shapes (graph_node_work), are divided
among the kernels it launched in proportion to their durations, such that the sums are exact;
communication kernels get none. An operator without kernels keeps its own.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["graph_call@2", "graph_node_work@2"] }
scale = "run"
columns = ["graph_node_id", "num_ops", "tensor_size"]

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Restrict to the nodes of this graph"

[column]
graph_node_id.help = "Kernel or operator"

[column.num_ops]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations; NULL: unknown"

[column.tensor_size]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Minimum traffic; NULL: unknown"

[changes]
1 = "first version"
2 = "new parameter graph_id"
--- */
WITH RECURSIVE work AS MATERIALIZED (
  SELECT graph_node_id, flops, bytes FROM graph_node_work($graph_id::BIGINT) WHERE flops >= 0 OR bytes >= 0
),
call AS MATERIALIZED (
  SELECT graph_node_id, parent_id, side, name, self_ns FROM graph_call($graph_id::BIGINT)
),
-- From each kernel up to the operator whose work it executes.
ancestor AS (
  SELECT graph_node_id AS kernel_id, parent_id AS above_id, coalesce(self_ns, 0) AS dur_ns
  FROM call
  WHERE side = 'device'
    AND NOT regexp_matches(lower(coalesce(name, '')), '\b(nccl|rccl|msccl)[a-z0-9_]*kernel')
  UNION ALL
  SELECT l.kernel_id, c.parent_id, l.dur_ns
  FROM ancestor AS l
  JOIN call AS c ON c.graph_node_id = l.above_id
  ANTI JOIN work AS w ON w.graph_node_id = l.above_id
),
placed AS (
  SELECT
    l.kernel_id,
    w.graph_node_id,
    w.flops::HUGEINT AS flops,
    w.bytes::HUGEINT AS bytes,
    sum(l.dur_ns + 1) OVER (
      PARTITION BY w.graph_node_id ORDER BY l.kernel_id ROWS UNBOUNDED PRECEDING
    )::HUGEINT AS upto_ns,
    sum(l.dur_ns + 1) OVER (PARTITION BY w.graph_node_id)::HUGEINT AS all_ns,
    l.dur_ns + 1 AS dur_ns
  FROM ancestor AS l
  JOIN work AS w ON w.graph_node_id = l.above_id
)
SELECT
  kernel_id AS graph_node_id,
  (flops * upto_ns // all_ns - flops * (upto_ns - dur_ns) // all_ns)::BIGINT AS num_ops,
  (bytes * upto_ns // all_ns - bytes * (upto_ns - dur_ns) // all_ns)::BIGINT AS tensor_size
FROM placed
UNION ALL
SELECT w.graph_node_id, w.flops, w.bytes
FROM work AS w
ANTI JOIN placed AS p ON p.graph_node_id = w.graph_node_id
