/* ---
name = "what_if_no_wait_edge"
version = 1
title = "What if: the host did not wait in some calls"
help = """
Without the edges from device work to calls whose name matches.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[param.name]
type = "VARCHAR"
default = "*"
help = "Pattern of names of calls"

[param.rank]
type = "BIGINT"
default = -1
help = "Rank; -1 for all"

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
SELECT e.run_id, e.from_id, e.to_id, e.delay_ns, e.kind, e.ordinal, e.link_id, e.confidence
FROM replay_edge() AS e
JOIN replay_node() AS n ON n.run_id = e.run_id AND n.node_id = e.to_id
WHERE NOT (
  e.kind = 'wait' AND n.kind = 'call' AND n.name GLOB $name::VARCHAR
  AND ($rank::BIGINT = -1 OR n.rank IS NOT DISTINCT FROM $rank::BIGINT)
)
ORDER BY e.run_id, e.ordinal
