/* ---
name = "replay_measured_node"
version = 1
title = "Nodes of replays that have measured times"
help = """
Those of timelines, TPU commands and graphs, as in replay_node, without what only a simulation needs.
Nodes of dPRO trials have none, as they are means of steps.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_graph_node@1", "replay_timeline_node@1", "replay_tpu_node@1"] }
scale = "run"
columns = ["run_id", "node_id", "trace_id", "rank", "kind", "name", "slice_id", "track_id", "dur_ns", "start_ns", "end_ns"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node (replay_node)" }
trace_id.nullable = true
kind.help = "As in replay_node"
name = { type = "VARCHAR", unit = "text", help = "Name" }
slice_id.nullable = true
track_id.nullable = true
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration without waiting" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Measured start, in the time that the traces share" }
end_ns = { type = "DOUBLE", unit = "ns", help = "Measured end" }

[changes]
1 = "first version"
--- */
SELECT run_id, node_id, trace_id, rank, kind, name, slice_id, track_id, dur_ns::DOUBLE AS dur_ns,
  start_ns::DOUBLE AS start_ns, end_ns::DOUBLE AS end_ns
FROM replay_timeline_node()
WHERE start_ns IS NOT NULL
UNION ALL
SELECT run_id, node_id, trace_id, rank, kind, name, slice_id, track_id, dur_ns, start_ns, end_ns
FROM replay_tpu_node()
WHERE start_ns IS NOT NULL
UNION ALL
SELECT run_id, node_id, trace_id, rank, kind, name, slice_id, NULL, dur_ns, start_ns, end_ns
FROM replay_graph_node()
WHERE start_ns IS NOT NULL
