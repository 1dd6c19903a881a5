/* ---
name = "replay_edge"
version = 5
title = "What a replay waits for: dependencies between its nodes"
help = """
A node starts when all nodes before it have ended and the delays of the edges have passed. Of
timelines: the order of threads and streams, and links (launch, event_wait, wait, hand_over, enqueue)
with the latencies of replay_constant; of dPRO trials: the edges of the global graph, with the time of
negotiation behind Sync, and between parts of gradients on links of BytePS that serve one after the
other (gradient_part_order); of graphs their dependencies; of TPU commands the order of engines, and which
command waits for which.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["dpro_graph_edge@1", "dpro_graph_place@1", "dpro_replay@3", "gradient_part_order@1", "replay_graph_edge@1", "replay_timeline_edge@1", "replay_tpu_edge@1"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Delays as dPRO's replay has them"

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "thread_order, stream_order, launch, event_wait, wait, hand_over; data: local graph; control: within a rank; peer: between ranks or nodes; group_order: of collectives of a group; arrive: at the barrier of a collective, or of several in the order of arrival; link_order: of parts on a link; end: of the trace"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run; replays break ties by it" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
5 = "the order of several edges of one kind between two nodes no longer depends on the ids of traces"
4 = "parts on links of BytePS in turn, latencies by tensor"
3 = "graphs and TPU commands"
2 = "timelines; link and confidence"
1 = "first version"
--- */
WITH dependency AS (
  SELECT run_id, from_id, to_id, delay_ns, kind, link_id, confidence FROM replay_timeline_edge()
  UNION ALL
  SELECT run_id, from_id, to_id, delay_ns, kind, NULL, confidence FROM replay_tpu_edge()
  UNION ALL
  SELECT run_id, from_id, to_id, delay_ns, kind, NULL, 1 FROM replay_graph_edge()
),
-- Edges are numbered by groups of 65,536 nodes, so that those of a whole run need not fit into memory.
node_group AS (
  SELECT
    run_id, from_id // 65536 AS number,
    (sum(count(*)) OVER (PARTITION BY run_id ORDER BY from_id // 65536) - count(*))::BIGINT AS n_before
  FROM dependency
  GROUP BY run_id, from_id // 65536
),
part_order AS MATERIALIZED (SELECT * FROM gradient_part_order() WHERE NOT $dpro_rules::BOOLEAN),
trial AS MATERIALIZED (
  SELECT run_id, place, process, name, stage, tensors, resource, negotiation_ns
  FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN)
  WHERE negotiation_ns IS NOT NULL
    OR stage IN ('PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES', 'COPY_MERGED')
),
latency AS (
  SELECT
    t.run_id, t.place, t.negotiation_ns,
    CASE t.stage WHEN 'PUSH_RES' THEN o.pull_latency_ns WHEN 'COPY_MERGED' THEN o.answer_latency_ns END AS part_ns
  FROM trial AS t
  LEFT JOIN part_order AS o ON o.run_id = t.run_id AND o.tensors = t.tensors
),
-- on each link the messages of a part, and the last one of the part before it
served AS (
  SELECT
    t.run_id, t.place, t.stage,
    CASE WHEN t.stage IN ('PUSH_REQ', 'PULL_REQ') THEN o.is_pushed_in_turn ELSE o.is_answered_in_turn END AS is_in_turn,
    lag(t.place) OVER (
      PARTITION BY t.run_id, t.process, t.resource
      ORDER BY o.place, regexp_extract(t.name, '([0-9]+)$', 1)::BIGINT, t.stage IN ('PULL_REQ', 'PULL_RES')
    ) AS from_place
  FROM trial AS t
  JOIN part_order AS o ON o.run_id = t.run_id AND o.tensors = t.tensors
  WHERE t.stage IN ('PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES')
)
SELECT
  e.run_id,
  a.place AS from_id,
  b.place AS to_id,
  coalesce(l.part_ns, CASE WHEN e.is_delayed THEN l.negotiation_ns END, 0)::DOUBLE AS delay_ns,
  e.kind,
  e.ordinal,
  NULL::BIGINT AS link_id,
  1::DOUBLE AS confidence
FROM dpro_graph_edge() AS e
JOIN dpro_graph_place() AS a ON a.code = e.from_code
JOIN dpro_graph_place() AS b ON b.code = e.to_code
LEFT JOIN latency AS l ON l.run_id = e.run_id AND l.place = a.place
UNION ALL
SELECT
  s.run_id, s.from_place, s.place, 0, 'link_order',
  r.n_edges + row_number() OVER (PARTITION BY s.run_id ORDER BY s.from_place, s.place) - 1, NULL, 1
FROM served AS s
JOIN (SELECT run_id, max(ordinal) + 1 AS n_edges FROM dpro_graph_edge() GROUP BY run_id) AS r ON r.run_id = s.run_id
WHERE s.stage IN ('PUSH_REQ', 'PUSH_RES') AND s.is_in_turn AND s.from_place IS NOT NULL
UNION ALL
SELECT
  d.run_id,
  d.from_id,
  d.to_id,
  d.delay_ns,
  d.kind,
  g.n_before + row_number() OVER (
    PARTITION BY d.run_id, g.number ORDER BY d.from_id, d.to_id, d.kind, d.delay_ns, d.link_id
  ) - 1,
  d.link_id,
  d.confidence
FROM dependency AS d
JOIN node_group AS g ON g.run_id = d.run_id AND g.number = d.from_id // 65536
ORDER BY run_id, ordinal
