/* ---
name = "chakra_1_0_refusal"
version = 1
title = "Causes for which chakra_trace_link 1.0 would reject a linked graph"
help = """
The program stops with an error if two calls of its list have the same correlation id, or if the
operators inside one take longer than it does, which happens when equal times are rounded.
"""
grain = ["slice_id"]
requires = { schema = ">=8" }
scale = "run"
columns = ["slice_id", "node_id", "name", "reason"]

[param.graph_id]
type = "BIGINT"
help = "Linked graph, with its nodes stored"

[column]
slice_id.help = "Call or operator"
reason = { type = "VARCHAR", unit = "text", help = "Cause of the rejection" }

[column.node_id]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Node of the operator in the execution trace; NULL for a call"

[changes]
1 = "first version"
--- */
SELECT slice_id, node_id, name, reason
FROM (
  SELECT
    n.slice_id,
    h.node_id::BIGINT AS node_id,
    n.name,
    'the operators inside of it take longer than it does' AS reason
  FROM graph_node AS n
  LEFT JOIN graph_node AS h ON h.id = n.of_node_id
  WHERE n.graph_id = $graph_id::BIGINT
    AND n.exclusive_us < 0
  UNION ALL
  SELECT
    slice_id,
    NULL,
    name,
    concat('its correlation id, ', correlation_id, ', is that of another call too')
  FROM (
    SELECT
      l.*,
      row_number() OVER (PARTITION BY l.correlation_id ORDER BY l.ts, l.slice_id) AS place
    FROM launch AS l
    JOIN (SELECT device_trace_id FROM graph WHERE id = $graph_id::BIGINT) AS g
      ON g.device_trace_id = l.trace_id
    WHERE l.category IN ('cuda_runtime', 'cuda_driver')
      AND l.name IN (
        'cuLaunchKernel', 'cuLaunchKernelEx', 'cudaLaunchKernel', 'cudaLaunchKernelExC',
        'cudaMemcpy', 'cudaMemcpyAsync', 'cudaMemcpyFromSymbol', 'cudaMemcpyToSymbol',
        'cudaLaunchCooperativeKernel', 'hipLaunchKernel', 'hipExtLaunchKernel',
        'hipExtModuleLaunchKernel', 'hipModuleLaunchKernel', 'hipMemcpyWithStream',
        'hipMemcpyAsync'
      )
  )
  WHERE place > 1
)
ORDER BY slice_id
