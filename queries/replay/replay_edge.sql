/* ---
name = "replay_edge"
version = 3
title = "What a replay waits for: dependencies between its nodes"
help = """
A node starts when all nodes before it have ended and the delays of the edges have passed. Of
timelines: the order of threads and streams, and links (launch, event_wait, wait, hand_over, enqueue)
with the latencies of replay_constant; of dPRO trials: the edges of the global graph, with the time of
negotiation behind Sync; of graphs their dependencies; of TPU commands the order of engines, and which
command waits for which.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["dpro_graph_edge@1", "dpro_graph_place@1", "dpro_replay@1", "replay_graph_edge@1", "replay_timeline_edge@1", "replay_tpu_edge@1"] }
portable = false
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Delays as dPRO's replay has them"

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "thread_order, stream_order, launch, event_wait, wait, hand_over; data: local graph; control: within a rank; peer: between ranks or nodes; group_order: of collectives of a group; arrive: at the barrier of a collective, or of several in the order of arrival; end: of the trace"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run; replays break ties by it" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
3 = "graphs and TPU commands"
2 = "timelines; link and confidence"
1 = "first version"
--- */
SELECT
  e.run_id,
  a.place AS from_id,
  b.place AS to_id,
  CASE WHEN e.is_delayed THEN coalesce(n.negotiation_ns, 0) ELSE 0 END::DOUBLE AS delay_ns,
  e.kind,
  e.ordinal,
  NULL::BIGINT AS link_id,
  1::DOUBLE AS confidence
FROM dpro_graph_edge() AS e
JOIN dpro_graph_place() AS a ON a.code = e.from_code
JOIN dpro_graph_place() AS b ON b.code = e.to_code
LEFT JOIN (
  SELECT run_id, place, negotiation_ns
  FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN)
  WHERE negotiation_ns IS NOT NULL
) AS n ON n.run_id = e.run_id AND n.place = a.place
UNION ALL
SELECT
  run_id,
  from_id,
  to_id,
  delay_ns,
  kind,
  row_number() OVER (PARTITION BY run_id ORDER BY from_id, to_id, kind) - 1,
  link_id,
  confidence
FROM (
  SELECT run_id, from_id, to_id, delay_ns, kind, link_id, confidence FROM replay_timeline_edge()
  UNION ALL
  SELECT run_id, from_id, to_id, delay_ns, kind, NULL, confidence FROM replay_tpu_edge()
  UNION ALL
  SELECT run_id, from_id, to_id, delay_ns, kind, NULL, 1 FROM replay_graph_edge()
)
ORDER BY run_id, ordinal
