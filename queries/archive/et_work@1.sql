/* ---
name = "et_work"
version = 1
title = "Operations and bytes of the nodes of Chakra files, for roofline models"
help = """
What an operator computes and moves, by its shapes (graph_node_work), is shared out among the kernels it launched in
proportion to their durations, such that the sums are exact; kernels that communicate take none. An operator
without kernels has it itself.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["graph_call@1", "graph_node_work@1"] }
portable = false

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The kernel, or the operator"

[[column]]
name = "num_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations; NULL: not known"

[[column]]
name = "tensor_size"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Bytes that must move at least; NULL: not known"

[changes]
1 = "first version"
--- */
WITH RECURSIVE work AS MATERIALIZED (
  SELECT graph_node_id, flops, bytes FROM graph_node_work() WHERE flops >= 0 OR bytes >= 0
),
call AS MATERIALIZED (
  SELECT graph_node_id, parent_id, side, name, self_ns FROM graph_call()
),
-- From each kernel up to the operator whose work it does.
climb AS (
  SELECT graph_node_id AS kernel_id, parent_id AS above_id, coalesce(self_ns, 0) AS dur_ns
  FROM call
  WHERE side = 'device'
    AND NOT regexp_matches(lower(coalesce(name, '')), '\b(nccl|rccl|msccl)[a-z0-9_]*kernel')
  UNION ALL
  SELECT l.kernel_id, c.parent_id, l.dur_ns
  FROM climb AS l
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
  FROM climb AS l
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
