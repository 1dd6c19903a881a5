/* ---
name = "what_if_groups_edge"
version = 1
title = "What if: other groups of gradients"
help = """
Edges of what_if_groups: from the operators that compute the gradients of a group to its Sync on each rank,
from there to its queue on all ranks, through the copies and around the ring to the operators that
update weights.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=18", queries = ["gradient_tensor@1", "gradient_update@1", "replay_edge@5", "replay_node@3"] }
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
WITH part_node AS (
  SELECT
    run_id, trace_id, node_id, kind,
    nullif(regexp_extract(name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors,
    string_split(nullif(regexp_extract(name, '~>([0-9_]+)$', 1), ''), '_')::BIGINT[] AS part
  FROM replay_node()
),
part_edge AS (
  SELECT e.*, a.kind AS from_kind, a.trace_id AS from_trace_id, b.kind AS to_kind, b.trace_id AS to_trace_id, a.part
  FROM replay_edge() AS e
  JOIN part_node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  JOIN part_node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
),
-- of the recorded groups: time of the negotiation, and who receives what a rank sends
negotiation AS (
  SELECT from_trace_id AS trace_id, max(delay_ns) AS delay_ns
  FROM part_edge
  WHERE from_kind = 'Sync' OR from_kind = 'dropped' AND to_kind = 'dropped' AND delay_ns > 0
  GROUP BY from_trace_id
),
ring AS (
  SELECT DISTINCT from_trace_id AS trace_id, part[2] AS channel, to_trace_id AS next_trace_id
  FROM part_edge
  WHERE kind = 'peer' AND part IS NOT NULL
),
-- nodes of new groups, which no edge names
added AS (
  SELECT
    n.run_id, n.trace_id, n.node_id, n.kind, n.tensors, n.part[3] AS ring_step,
    [n.part[1], n.part[2], n.part[4]] AS place,
    max(n.part[3]) OVER (PARTITION BY n.run_id, n.tensors) AS last_step
  FROM part_node AS n
  WHERE n.tensors IS NOT NULL AND n.kind <> 'dropped'
    AND NOT EXISTS (FROM part_edge AS e WHERE e.run_id = n.run_id AND e.to_id = n.node_id)
),
new_edge AS (
  SELECT DISTINCT s.run_id, g.ready_id AS from_id, s.node_id AS to_id, 0::DOUBLE AS delay_ns, 'control' AS kind
  FROM added AS s
  JOIN gradient_tensor() AS g
    ON g.trace_id = s.trace_id AND list_contains(string_split(s.tensors, '+'), g.tensor_id::VARCHAR)
  WHERE s.kind = 'Sync'
  UNION ALL
  SELECT s.run_id, s.node_id, q.node_id, coalesce(k.delay_ns, 0),
    CASE WHEN s.trace_id = q.trace_id THEN 'control' ELSE 'peer' END
  FROM added AS s
  JOIN added AS q ON q.run_id = s.run_id AND q.tensors = s.tensors AND q.kind = 'QUEUE'
  LEFT JOIN negotiation AS k ON k.trace_id = s.trace_id
  WHERE s.kind = 'Sync'
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, 0, 'control'
  FROM added AS a
  JOIN added AS b ON b.trace_id = a.trace_id AND b.tensors = a.tensors
  WHERE a.kind = 'QUEUE' AND b.kind = 'MEMCPY_IN_FUSION_BUFFER'
    OR a.kind = 'MEMCPY_IN_FUSION_BUFFER' AND b.kind IN ('SEND', 'RECV')
    OR a.kind = 'RECV' AND b.kind = 'SEND' AND b.ring_step = a.ring_step + 1 AND b.place = a.place
    OR a.kind = 'RECV' AND a.ring_step = a.last_step AND b.kind = 'MEMCPY_OUT_FUSION_BUFFER'
  UNION ALL
  SELECT s.run_id, s.node_id, r.node_id, 0, 'peer'
  FROM added AS s
  JOIN ring AS k ON k.trace_id = s.trace_id AND k.channel = s.place[2]
  JOIN added AS r
    ON r.trace_id = k.next_trace_id AND r.tensors = s.tensors AND r.ring_step = s.ring_step AND r.place = s.place
  WHERE s.kind = 'SEND' AND r.kind = 'RECV'
  UNION ALL
  SELECT DISTINCT o.run_id, o.node_id, u.update_id, 0, 'control'
  FROM added AS o
  JOIN gradient_update() AS u
    ON u.trace_id = o.trace_id AND list_contains(string_split(o.tensors, '+'), u.tensor_id::VARCHAR)
  WHERE o.kind = 'MEMCPY_OUT_FUSION_BUFFER'
),
recorded AS (
  SELECT run_id, count(*) AS n_edges FROM replay_edge() GROUP BY run_id
)
SELECT run_id, from_id, to_id, delay_ns, kind, ordinal, link_id, confidence
FROM part_edge
WHERE from_kind <> 'dropped' AND to_kind <> 'dropped'
UNION ALL
SELECT
  e.run_id, e.from_id, e.to_id, e.delay_ns, e.kind,
  r.n_edges + row_number() OVER (PARTITION BY e.run_id ORDER BY e.from_id, e.to_id) - 1,
  NULL, 1
FROM new_edge AS e
JOIN recorded AS r ON r.run_id = e.run_id
ORDER BY run_id, ordinal
