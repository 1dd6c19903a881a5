/* ---
name = "linked_pair"
version = 1
title = "Pairs of execution trace and timeline of a run"
help = """
The import determines which timeline the process of an execution trace recorded, or leaves it open
if ambiguous (`trace.timeline_trace_id`). An execution trace whose nodes have times is already
linked and is skipped.
"""
grain = ["graph_id"]
requires = { schema = ">=11" }
scale = "trace"
columns = ["graph_id", "trace_id", "device_trace_id"]

[param.run_id]
type = "BIGINT"
help = "Run"

[column]
graph_id.help = "Execution trace"
device_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Timeline" }

[changes]
1 = "first version"
--- */
SELECT g.id AS graph_id, t.id AS trace_id, t.timeline_trace_id AS device_trace_id
FROM trace AS t
JOIN graph AS g ON g.trace_id = t.id
ANTI JOIN (
  SELECT graph_id FROM graph_node WHERE start_ns IS NOT NULL AND of_node_id IS NULL
) AS n ON n.graph_id = g.id
WHERE t.run_id = $run_id::BIGINT
  AND t.timeline_trace_id IS NOT NULL
  AND g.kind = 'execution_trace'
ORDER BY g.id
