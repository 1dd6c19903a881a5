/* ---
name = "what_if_launch_free_edge"
version = 1
title = "What if: launches cost nothing"
help = """
Work can start when the call that queues it begins.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5"] }
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
  run_id, from_id, to_id,
  CASE WHEN kind = 'launch' THEN 0 ELSE delay_ns END AS delay_ns,
  kind, ordinal, link_id, confidence
FROM replay_edge()
ORDER BY run_id, ordinal
