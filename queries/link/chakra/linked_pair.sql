/* ---
name = "linked_pair"
version = 1
title = "Which execution trace of a run goes with which timeline"
help = """The import says which timeline the process of an execution trace recorded, or refuses to
guess (`trace.timeline_trace_id`). An execution trace whose nodes have times was linked before and is
left alone."""
grain = ["graph_id"]
requires = { schema = ">=11" }

[param.run_id]
type = "BIGINT"
help = "The run"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The execution trace"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace it is"

[[column]]
name = "device_trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The timeline"

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
