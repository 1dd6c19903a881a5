/* ---
name = "what_if_no_sync_edge"
version = 2
title = "What if: gradients were not reduced"
help = """
Ranks do not wait for each other at collectives of timelines. Of dPRO trials nothing changes: the
what-if is refused there.
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
2 = "changes nothing of dPRO trials"
1 = "first version"
--- */
SELECT
  run_id, from_id, to_id, delay_ns, kind, ordinal, link_id, confidence
FROM replay_edge()
WHERE kind NOT IN ('arrive', 'peer')
  OR run_id IN (SELECT run_id FROM replay_node() WHERE kind IN ('QUEUE', 'SEND', 'RECV', 'PUSH_REQ', 'PULL_RES'))
ORDER BY run_id, ordinal
