/* ---
name = "what_if_no_sync_edge"
version = 3
title = "What if: gradients were not reduced"
help = """
Ranks do not wait for each other at collectives of timelines: a transfer follows the arrival of its own rank.
Of dPRO trials nothing changes: the what-if is refused there.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
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
3 = "transfers follow the arrival of their rank, in place of nothing"
2 = "changes nothing of dPRO trials"
1 = "first version"
--- */
WITH arrival AS (
  SELECT a.run_id, a.to_id AS barrier_id, a.from_id, n.trace_id, n.slice_id
  FROM replay_edge() AS a
  JOIN replay_node() AS n ON n.run_id = a.run_id AND n.node_id = a.from_id
  WHERE a.kind = 'arrive'
)
SELECT
  e.run_id, coalesce(a.from_id, e.from_id) AS from_id, e.to_id, e.delay_ns, e.kind, e.ordinal, e.link_id, e.confidence
FROM replay_edge() AS e
JOIN replay_node() AS n ON n.run_id = e.run_id AND n.node_id = e.to_id
LEFT JOIN arrival AS a
  ON a.run_id = e.run_id AND e.kind = 'peer' AND a.barrier_id = e.from_id AND a.trace_id = n.trace_id
  AND a.slice_id IS NOT DISTINCT FROM n.slice_id
WHERE e.kind <> 'arrive'
  OR e.run_id IN (SELECT run_id FROM replay_node() WHERE kind IN ('QUEUE', 'SEND', 'RECV', 'PUSH_REQ', 'PULL_RES'))
ORDER BY run_id, ordinal
