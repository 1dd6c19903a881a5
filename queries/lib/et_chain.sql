/* ---
name = "et_chain"
version = 1
title = "Call order of graph nodes per thread"
help = """
A depth-first walk from the node of each thread, children in order of id: each node precedes its
descendants. Nodes under no thread node are walked from the root they are under.

Recorders number nodes in call order, so within a thread the id order usually is the walk. This
holds if no edge from child to parent crosses another when the nodes are laid out in a row; then
nothing else is computed. Otherwise the walk is a list of steps down and up the tree, and the
position of each step is found by pointer doubling: each step knows its 1st, 2nd, 4th … successor,
so the number of rounds is the logarithm of the number of nodes, whatever the depth of the tree.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10" }
scale = "trace"
columns = ["graph_node_id", "root_id", "is_thread", "place", "before_id"]

[param.graph_id]
type = "BIGINT"
help = "Graph: an execution trace, or one linked with a timeline"

[column]
root_id = { type = "BIGINT", unit = "ref graph_node.id", help = "Node of its thread, or else the root above it" }
is_thread = { type = "BOOLEAN", unit = "bool", help = "Whether root_id is the node of a thread" }
place = { type = "BIGINT", unit = "count", help = "Position in the walk of its root, from 0" }

[column.before_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Preceding host node in the walk; NULL: this is the first"

[changes]
1 = "first version"
--- */
WITH RECURSIVE parent AS (
  SELECT to_node_id, min_by(from_node_id, ordinal) AS from_node_id
  FROM graph_edge
  WHERE graph_id = $graph_id::BIGINT AND kind = 'control' AND from_node_id <> to_node_id
  GROUP BY to_node_id
),
node AS MATERIALIZED (
  SELECT
    n.id,
    n.node_id,
    n.thread_id,
    coalesce(n.device_kind = 'gpu', false) AS is_device,
    coalesce(n.name IN (
      '[pytorch|profiler|execution_graph|thread]', '[pytorch|profiler|execution_trace|thread]'
    ), false) AS is_thread,
    CASE WHEN NOT is_thread THEN p.from_node_id END AS parent_id
  FROM graph_node AS n
  LEFT JOIN parent AS p ON p.to_node_id = n.id
  WHERE n.graph_id = $graph_id::BIGINT
),
-- The nodes of a thread in order, each with the root before it.
in_row AS MATERIALIZED (
  SELECT
    id,
    parent_id,
    is_device,
    is_thread,
    thread_id,
    last_value(CASE WHEN parent_id IS NULL THEN id END IGNORE NULLS) OVER so_far AS root_id,
    last_value(CASE WHEN parent_id IS NULL THEN is_thread END IGNORE NULLS) OVER so_far
      AS is_of_thread,
    row_number() OVER (PARTITION BY thread_id ORDER BY node_id, id) AS place
  FROM node
  WINDOW so_far AS (PARTITION BY thread_id ORDER BY node_id, id ROWS UNBOUNDED PRECEDING)
),
-- parent_place: 0 for a root; NULL if the parent is on another thread or comes later.
with_parent AS MATERIALIZED (
  SELECT
    n.*,
    CASE
      WHEN n.parent_id IS NULL THEN 0
      WHEN p.thread_id IS NOT DISTINCT FROM n.thread_id AND p.place < n.place THEN p.place
    END AS parent_place
  FROM in_row AS n
  LEFT JOIN in_row AS p ON p.id = n.parent_id
),
is_walk AS MATERIALIZED (
  SELECT coalesce(bool_and(
    parent_place IS NOT NULL
    AND root_id IS NOT NULL
    AND coalesce(least_between >= parent_place, true)
  ), true) AS is_walk
  FROM (
    SELECT
      *,
      min(coalesce(parent_place, -1)) OVER (
        PARTITION BY thread_id
        ORDER BY place
        ROWS BETWEEN greatest(place - coalesce(parent_place, place) - 1, 0) PRECEDING
          AND 1 PRECEDING
      ) AS least_between
    FROM with_parent
  )
),
-- From here on, only threads whose id order is not the walk.
sibling AS MATERIALIZED (
  SELECT
    id,
    parent_id,
    lead(id) OVER brothers AS next_id,
    row_number() OVER brothers AS place
  FROM node
  WHERE NOT (SELECT is_walk FROM is_walk)
  WINDOW brothers AS (PARTITION BY parent_id ORDER BY node_id, id)
),
-- 2 id is the step down into a node, 2 id + 1 the step up out of it; each leads to another one,
-- except the step up out of a root.
way AS MATERIALIZED (
  SELECT
    2 * s.id AS way_id,
    coalesce(2 * c.id, 2 * s.id + 1) AS next_id,
    1::BIGINT AS n_down
  FROM sibling AS s
  LEFT JOIN sibling AS c ON c.parent_id = s.id AND c.place = 1
  UNION ALL
  SELECT
    2 * id + 1,
    CASE WHEN parent_id IS NOT NULL THEN coalesce(2 * next_id, 2 * parent_id + 1) END,
    0
  FROM sibling
),
-- n_down counts the steps down from here to next_id, which is last_id once the end is reached.
jump AS (
  SELECT way_id, next_id, CASE WHEN next_id IS NULL THEN way_id END AS last_id, n_down, 1 AS reach
  FROM way
  UNION ALL
  SELECT
    j.way_id,
    n.next_id,
    coalesce(j.last_id, n.last_id),
    j.n_down + coalesce(n.n_down, 0),
    j.reach * 2
  FROM jump AS j
  LEFT JOIN jump AS n ON n.way_id = j.next_id
  WHERE j.reach < (SELECT count(*) FROM way)
),
walked AS (
  SELECT way_id // 2 AS id, last_id // 2 AS root_id, max(n_down) AS n_behind
  FROM jump
  WHERE reach >= (SELECT count(*) FROM way)
    AND last_id IS NOT NULL
  GROUP BY way_id // 2, last_id // 2
),
place_of AS (
  SELECT id, root_id, is_of_thread, is_device, place
  FROM in_row
  WHERE (SELECT is_walk FROM is_walk)
  UNION ALL
  SELECT w.id, w.root_id, r.is_thread, n.is_device, -w.n_behind
  FROM walked AS w
  JOIN node AS n ON n.id = w.id
  JOIN node AS r ON r.id = w.root_id
)
SELECT
  id AS graph_node_id,
  root_id,
  is_of_thread AS is_thread,
  row_number() OVER (PARTITION BY root_id ORDER BY place) - 1 AS place,
  last_value(CASE WHEN NOT is_device THEN id END IGNORE NULLS) OVER (
    PARTITION BY root_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS before_id
FROM place_of
