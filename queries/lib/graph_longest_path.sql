/* ---
name = "graph_longest_path"
version = 1
title = "Longest path ending at each node of a graph, as its predecessor on that path"
help = """
The weight of a node is its self time (self_ns of graph_call); for a call that waited for device
work, its self time without the wait. Device work, or work of another thread, that began before the
call it depends on had ended needs only the part before its start: the overlap does not count on
that path. Both must have recorded times. In a graph without times each node weighs 1. The length of
the longest path to a node is its weight plus the greatest length, without the overlap, among its
dependencies (graph_dependency). It is computed by improvement: each node chooses one dependency,
lengths along the choices are summed by pointer doubling, and nodes with a longer path by another
choice switch to it, until none do. A cyclic graph has no longest path and no rows.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@2", "graph_dependency@1"] }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "graph_id", "before_id", "weight", "n_before", "path_weight",
  "is_timed",
]

[column]
weight = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Weight of the node; 1 in a graph without times" }
n_before = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of preceding nodes on the longest path" }
is_timed = { type = "BOOLEAN", unit = "bool", help = "Whether the graph has times" }

[column.before_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Predecessor on the longest path; NULL: none"

[column.path_weight]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the longest path up to the end of this node; in nodes for a graph without times"

[changes]
1 = "first version"
--- */
WITH RECURSIVE dependency AS MATERIALIZED (
  SELECT graph_id, from_id, to_id, kind FROM graph_dependency()
),
call AS MATERIALIZED (
  SELECT graph_node_id, trace_id, graph_id, start_ns, dur_ns, coalesce(self_ns, 0) AS self_ns
  FROM graph_call()
),
waited AS (
  SELECT
    d.to_id,
    max(least(greatest(g.start_ns + g.dur_ns - h.start_ns, 0), h.self_ns)) AS wait_ns
  FROM dependency AS d
  JOIN call AS g ON g.graph_node_id = d.from_id
  JOIN call AS h ON h.graph_node_id = d.to_id
  WHERE d.kind = 'sync' AND g.start_ns IS NOT NULL AND h.start_ns IS NOT NULL
  GROUP BY d.to_id
),
timed AS (
  SELECT graph_id, sum(self_ns) > 0 AS is_timed FROM call GROUP BY graph_id
),
weighed AS MATERIALIZED (
  SELECT
    c.*,
    CASE WHEN t.is_timed THEN c.self_ns - coalesce(w.wait_ns, 0) ELSE 1 END AS weight,
    t.is_timed
  FROM call AS c
  JOIN timed AS t ON t.graph_id = c.graph_id
  LEFT JOIN waited AS w ON w.to_id = c.graph_node_id
),
overlapped AS (
  SELECT
    d.from_id,
    d.to_id,
    least(a.start_ns + a.dur_ns - b.start_ns, a.weight) AS overlap
  FROM dependency AS d
  JOIN weighed AS a ON a.graph_node_id = d.from_id
  JOIN weighed AS b ON b.graph_node_id = d.to_id
  WHERE d.kind IN ('control', 'inter_thread') AND a.start_ns + a.dur_ns > b.start_ns
),
way AS MATERIALIZED (
  SELECT d.from_id, d.to_id, coalesce(o.overlap, 0) AS overlap
  FROM dependency AS d
  LEFT JOIN overlapped AS o ON o.from_id = d.from_id AND o.to_id = d.to_id
),
first_choice AS MATERIALIZED (
  SELECT
    to_id,
    max(from_id) AS before_id,
    max_by(overlap, from_id) AS overlap,
    count(*) > 1 AS is_choice
  FROM way
  GROUP BY to_id
),
choice AS MATERIALIZED (
  SELECT w.from_id, w.to_id, w.overlap
  FROM way AS w
  JOIN first_choice AS f ON f.to_id = w.to_id AND f.is_choice
),
node AS MATERIALIZED (
  SELECT
    n.graph_node_id,
    n.trace_id,
    n.graph_id,
    n.weight,
    f.before_id,
    n.weight - coalesce(f.overlap, 0) AS own,
    n.is_timed
  FROM weighed AS n
  LEFT JOIN first_choice AS f ON f.to_id = n.graph_node_id
),
-- stage 0: lengths are being summed, total is the length up to but excluding jump_id; 1: lengths
-- are final; 2: no choice is better. Sums are doubles, exact below 2 ** 53, which cycles cannot
-- overflow. No graph has 2 ** 32 nodes: a node not done by then is on a cycle.
state AS (
  SELECT
    0 AS stage,
    0 AS round,
    graph_id,
    graph_node_id,
    weight,
    own,
    before_id,
    before_id AS jump_id,
    1::DOUBLE AS hops,
    own::DOUBLE AS total
  FROM node
  UNION ALL
  (
    WITH now AS (
      SELECT * FROM state WHERE stage < 2 AND round < 33
    ),
    progress AS (
      SELECT graph_id, min(stage) = 0 AND count(jump_id) = 0 AS is_summed
      FROM now
      GROUP BY graph_id
    ),
    summed AS (
      SELECT n.* FROM now AS n JOIN progress AS p ON p.graph_id = n.graph_id AND p.is_summed
    ),
    better AS (
      SELECT
        d.to_id,
        max_by(s.graph_node_id, (s.total - d.overlap, s.graph_node_id)) AS before_id,
        max_by(d.overlap, (s.total - d.overlap, s.graph_node_id)) AS overlap,
        max(s.total - d.overlap) AS total
      FROM choice AS d
      JOIN summed AS s ON s.graph_node_id = d.from_id
      GROUP BY d.to_id
    ),
    chosen AS (
      SELECT
        s.graph_id,
        s.graph_node_id,
        s.weight,
        s.hops,
        s.total,
        coalesce(b.total > s.total - s.weight, false) AS is_better,
        s.before_id,
        coalesce(b.before_id, s.before_id) AS next_id,
        coalesce(s.weight - b.overlap, s.own) AS next_own
      FROM summed AS s
      LEFT JOIN better AS b ON b.to_id = s.graph_node_id
    ),
    ended AS (
      SELECT graph_id, NOT bool_or(is_better) AS is_ended FROM chosen GROUP BY graph_id
    )
    SELECT
      CASE WHEN e.is_ended THEN 2 ELSE 0 END,
      0,
      c.graph_id,
      c.graph_node_id,
      c.weight,
      c.next_own,
      CASE WHEN e.is_ended THEN c.before_id ELSE c.next_id END,
      CASE WHEN NOT e.is_ended THEN c.next_id END,
      CASE WHEN e.is_ended THEN c.hops ELSE 1 END,
      CASE WHEN e.is_ended THEN c.total ELSE c.next_own END
    FROM chosen AS c
    JOIN ended AS e ON e.graph_id = c.graph_id
    UNION ALL
    SELECT
      0,
      n.round + 1,
      n.graph_id,
      n.graph_node_id,
      n.weight,
      n.own,
      n.before_id,
      j.jump_id,
      n.hops + coalesce(j.hops, 0),
      n.total + coalesce(j.total, 0)
    FROM now AS n
    JOIN progress AS p ON p.graph_id = n.graph_id AND NOT p.is_summed
    LEFT JOIN now AS j ON j.graph_node_id = n.jump_id
  )
)
SELECT
  s.graph_node_id,
  n.trace_id,
  n.graph_id,
  s.before_id,
  s.weight::BIGINT AS weight,
  (s.hops - 1)::BIGINT AS n_before,
  least(s.total, 9e18)::BIGINT AS path_weight,
  n.is_timed
FROM state AS s
JOIN node AS n ON n.graph_node_id = s.graph_node_id
WHERE s.stage = 2
ORDER BY s.graph_node_id
