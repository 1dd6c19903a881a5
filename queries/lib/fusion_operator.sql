/* ---
name = "fusion_operator"
version = 1
title = "Operators of dPRO trials, and whether they can be fused with others"
help = """
Never fused are operators that update weights, names with Assign, and the types that dPRO does not fuse either.
"""
grain = ["trace_id", "node_id"]
requires = { schema = ">=18", queries = ["precision_operator@1"] }
scale = "run"
columns = ["run_id", "trace_id", "rank", "node_id", "operator", "phase", "type", "is_able"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of the operator (replay_node)" }
operator = { type = "VARCHAR", unit = "text", help = "Name of the operator" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW or UPDATE_ of the name in the trial" }
type.help = "Type of the operator"
is_able = { type = "BOOLEAN", unit = "bool", help = "Whether it can be fused" }

[changes]
1 = "first version"
--- */
SELECT
  run_id, trace_id, rank, node_id, operator, phase, type,
  NOT starts_with(phase, 'UPDATE') AND NOT contains(operator, 'Assign') AND coalesce(type, '') NOT IN (
    'ShapeN', '_Arg', '_Send', '_Recv', 'ReadVariableOp', 'VarHandleOp', 'VarIsInitializedOp', 'IsVariableInitialized',
    'ResourceApplyGradientDescent', 'IteratorToStringHandle', 'IteratorGetNext', 'MakeIterator', 'IteratorV2', 'NoOp',
    'Placeholder'
  ) AS is_able
FROM precision_operator()
ORDER BY trace_id, node_id
