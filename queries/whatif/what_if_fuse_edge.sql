/* ---
name = "what_if_fuse_edge"
version = 1
title = "What if: operators fused into one"
help = """
Edges of what_if_fuse: those of the operators of a cluster lead to and from the one that is left; those between them
are gone.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=18", queries = ["fused_operator@1", "replay_edge@5"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[param.clusters]
type = "VARCHAR"
help = "Operators of each cluster, as net/a+net/b,net/c+net/d"

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
WITH member AS MATERIALIZED (
  SELECT run_id, node_id, into_id FROM fused_operator(p_clusters := $clusters::VARCHAR)
),
edge AS (
  SELECT
    e.run_id, coalesce(a.into_id, e.from_id) AS from_id, coalesce(b.into_id, e.to_id) AS to_id, e.delay_ns, e.kind,
    e.ordinal, e.link_id, e.confidence
  FROM replay_edge() AS e
  LEFT JOIN member AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  LEFT JOIN member AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
)
SELECT
  run_id, from_id, to_id, max(delay_ns) AS delay_ns, kind, min(ordinal) AS ordinal, min(link_id) AS link_id,
  min(confidence) AS confidence
FROM edge
WHERE from_id <> to_id
GROUP BY run_id, from_id, to_id, kind
ORDER BY run_id, ordinal
