/* ---
name = "chakra_1_0_refusal"
version = 1
title = "What chakra_trace_link 1.0 would stop at in a linked graph"
help = """That program stops with an error when two calls of its list have the same correlation id, and
when the operators inside of one take longer than it does, as the roundings of equal times do."""
grain = ["slice_id"]
requires = { schema = ">=8" }

[param.graph_id]
type = "BIGINT"
help = "The linked graph, whose nodes are there"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The call or the operator"

[[column]]
name = "node_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The operator's node in the execution trace; NULL for a call"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "reason"
type = "VARCHAR"
unit = "text"
help = "What is wrong with it"

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
