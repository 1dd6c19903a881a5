/* ---
name = "what_if_buckets_edge"
version = 3
title = "What if: other buckets of gradients"
help = """
Edges of what_if_buckets: from the last gradient of a bucket on each rank to its reduction, in the order
of buckets, and on to the copy of its first gradient.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3", "replay_bucket@2", "replay_gradient@1"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[param.bytes]
type = "BIGINT"
unit = "byte"
min = 1
help = "Size at which a bucket closes"

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the recorded links; 0: not known"

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
3 = "recorded reductions, which take no time, still follow their calls"
2 = "new parameter recorded_bits_per_s"
1 = "first version"
--- */
WITH reduction AS (
  -- Reductions by a communication library: their gradients are copied on the host.
  SELECT n.run_id, n.node_id
  FROM replay_node() AS n
  WHERE n.kind IN ('arrival', 'barrier', 'collective') AND EXISTS (FROM replay_gradient())
),
bucket AS (
  FROM replay_bucket(
    p_bytes := $bytes::BIGINT, p_recorded_bits_per_s := $recorded_bits_per_s::DOUBLE
  )
),
added AS (
  SELECT g.run_id, g.ready_id AS from_id, b.node_id AS to_id, 0::DOUBLE AS delay_ns, 'arrive' AS kind
  FROM replay_gradient() AS g
  JOIN bucket AS b ON b.run_id = g.run_id AND b.iteration = g.iteration AND b.last_place = g.place
  UNION ALL
  SELECT run_id, lag(node_id) OVER (PARTITION BY run_id ORDER BY iteration, bucket), node_id, 0, 'group_order'
  FROM bucket
  UNION ALL
  SELECT g.run_id, b.node_id, g.before_id, 0, 'wait'
  FROM replay_gradient() AS g
  JOIN bucket AS b ON b.run_id = g.run_id AND b.iteration = g.iteration AND b.first_place = g.place
),
recorded AS (
  SELECT run_id, count(*) AS n_edges FROM replay_edge() GROUP BY run_id
)
SELECT
  run_id, from_id, to_id, delay_ns, kind, ordinal, link_id, confidence
FROM replay_edge()
WHERE (run_id, from_id) NOT IN (FROM reduction) OR (run_id, to_id) IN (FROM reduction)
UNION ALL
SELECT
  a.run_id, a.from_id, a.to_id, a.delay_ns, a.kind,
  r.n_edges + row_number() OVER (PARTITION BY a.run_id ORDER BY a.from_id, a.to_id) - 1,
  NULL, 1
FROM added AS a
JOIN recorded AS r ON r.run_id = a.run_id
WHERE a.from_id IS NOT NULL AND a.to_id IS NOT NULL
ORDER BY run_id, ordinal
