/* ---
name = "replay_edge"
version = 1
title = "What a replay waits for: dependencies between its nodes"
help = """
A node starts when all nodes before it have ended and the delays of the edges have passed. Of dPRO
trials: the edges of the global graph, with the time of negotiation behind Sync.
"""
grain = ["run_id", "from_id", "to_id"]
requires = { schema = ">=17", queries = ["dpro_edge@1", "dpro_replay@1"] }
portable = false
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal"]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Delays as dPRO's replay has them"

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "data: local graph; control: within a rank; peer: between ranks or nodes; arrive: of several in the order of arrival"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run; replays break ties by it" }

[changes]
1 = "first version"
--- */
SELECT
  e.run_id,
  e.from_place AS from_id,
  e.to_place AS to_id,
  CASE WHEN e.kind IN ('control', 'peer') AND contains(e.to_name, '->Comm.')
    AND NOT regexp_matches(e.to_name, '->Comm\.[0-9+]+\.(COPY_|SUM)')
    THEN coalesce(n.negotiation_ns, 0) ELSE 0
  END::DOUBLE AS delay_ns,
  e.kind,
  e.ordinal
FROM dpro_edge() AS e
LEFT JOIN (
  SELECT run_id, place, negotiation_ns
  FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN)
  WHERE negotiation_ns IS NOT NULL
) AS n ON n.run_id = e.run_id AND n.place = e.from_place
ORDER BY e.run_id, e.ordinal
