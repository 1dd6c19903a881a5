/* ---
name = "what_if_graph_launch_edge"
version = 1
title = "What if: steps launched their work as graphs (CUDA graphs)"
help = """
Work of a graph is launched by its first call; what it waits for on its stream and by events stays.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_captured@1", "replay_edge@5"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
1 = "first version"
--- */
SELECT
  e.run_id,
  CASE WHEN e.kind = 'launch' THEN coalesce(c.first_before_id, e.from_id) ELSE e.from_id END AS from_id,
  e.to_id, e.delay_ns, e.kind, e.ordinal, e.link_id, e.confidence
FROM replay_edge() AS e
LEFT JOIN replay_captured() AS c ON c.run_id = e.run_id AND c.before_id = e.from_id
ORDER BY e.run_id, e.ordinal
