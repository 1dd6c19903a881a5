/* ---
name = "replay_measured_edge"
version = 1
title = "Dependencies between nodes of replays that have measured times"
help = """
Those of timelines, TPU commands and graphs, as in replay_edge, which numbers them: for that it needs
all edges of a run at once.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_graph_edge@1", "replay_timeline_edge@1", "replay_tpu_edge@1"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"

[changes]
1 = "first version"
--- */
SELECT run_id, from_id, to_id, delay_ns, kind FROM replay_timeline_edge()
UNION ALL
SELECT run_id, from_id, to_id, delay_ns, kind FROM replay_tpu_edge()
UNION ALL
SELECT run_id, from_id, to_id, delay_ns, kind FROM replay_graph_edge()
