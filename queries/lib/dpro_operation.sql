/* ---
name = "dpro_operation"
version = 1
title = "Operators of dPRO's local graphs, with dPRO's names"
help = """
dPRO puts the phase before the name of an operator: FW., BW., UPDATE_. or Comm. (of tensors). The
phase follows from the name and the graph: what depends on communication updates weights, what
depends on a backward operator is backward. Dots in names become underscores.
"""
grain = ["graph_node_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"] }
scale = "trace"
computed_once = true
columns = ["trace_id", "graph_node_id", "operator", "phase", "name", "position"]

[column]
operator = { type = "VARCHAR", unit = "text", nullable = true, help = "Name in the framework" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_ or Comm" }
name.help = "Name in dPRO"

[column.position]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Place in the order in which the edges of the graph name the nodes first; NULL: no edge names it"

[changes]
1 = "first version"
--- */
WITH RECURSIVE node AS (
  SELECT
    n.id,
    n.trace_id,
    n.name AS operator,
    regexp_replace(regexp_replace(n.name, '^\^', ''), '/_[^/]*$', '') AS plain
  FROM graph_node AS n
  JOIN graph AS g ON g.id = n.graph_id
  WHERE g.kind = 'dpro'
),
edge AS (
  SELECT e.id, e.from_node_id, e.to_node_id
  FROM graph_edge AS e
  JOIN graph AS g ON g.id = e.graph_id
  WHERE g.kind = 'dpro'
),
-- names that the graph does not decide
named AS (
  SELECT
    *,
    CASE
      WHEN regexp_matches(plain, '^(FW|BW|UPDATE_|Comm|I/O_|OUTPUT)[0-9]*\.') THEN plain
      WHEN regexp_matches(plain, '^(OUTPUT[0-9]+|UPDATE_([0-9]+|CAL)|I/O_[0-9]*)$') THEN plain
      WHEN regexp_matches(plain, 'BytePSPushPull[._][0-9_]+$')
        THEN 'Comm.' || replace(regexp_extract(plain, 'BytePSPushPull[._]([0-9_]+)$', 1), '_', '+')
      WHEN contains(plain, 'input_barrier') THEN 'FW'
      WHEN contains(lower(plain), 'allreduce') AND contains(plain, '.') AND contains(plain, 'Switch')
        THEN 'BW.' || split_part(split_part(plain, '.', 2), '_', 1) || '_Switch'
      WHEN contains(lower(plain), 'allreduce') AND contains(plain, '.')
        THEN 'Comm.' || split_part(split_part(plain, '.', 2), '_', 1)
    END AS fixed_name,
    contains(plain, 'Assign') OR contains(plain, 'SGD') OR contains(plain, 'GradientDescent')
      AS is_named_update,
    contains(lower(plain), 'allreduce')
      OR starts_with(plain, 'gradients')
      OR starts_with(plain, 'gradient_tape')
        AND NOT ends_with(plain, 'ShapeN') AND NOT contains(plain, 'LayoutOptimizer')
      AS is_named_backward
  FROM node
),
updating AS (
  SELECT id FROM named WHERE is_named_update AND fixed_name IS NULL
  UNION
  SELECT e.to_node_id
  FROM edge AS e
  JOIN named AS n ON n.id = e.from_node_id
  WHERE starts_with(n.fixed_name, 'Comm.')
  UNION
  SELECT e.to_node_id
  FROM updating AS u
  JOIN edge AS e ON e.from_node_id = u.id
),
phased AS (
  SELECT
    n.*,
    CASE
      WHEN n.fixed_name IS NOT NULL
        THEN regexp_extract(n.fixed_name, '^(?:[A-Z]+_|[A-Za-z/]+)')
      WHEN u.id IS NOT NULL THEN 'UPDATE_'
      WHEN n.is_named_backward THEN 'BW'
      ELSE 'FW'
    END AS phase
  FROM named AS n
  LEFT JOIN updating AS u ON u.id = n.id
),
backward AS (
  SELECT id FROM phased WHERE phase = 'BW'
  UNION
  SELECT e.to_node_id
  FROM backward AS b
  JOIN edge AS e ON e.from_node_id = b.id
  JOIN phased AS p ON p.id = e.to_node_id
  WHERE p.phase = 'FW'
),
-- each edge names its source and then its target
mention AS (
  SELECT id, (row_number() OVER (PARTITION BY trace_id ORDER BY first_id) - 1) AS position
  FROM (
    SELECT n.id, n.trace_id, min(m.place) AS first_id
    FROM (
      SELECT from_node_id AS id, 2 * edge.id AS place FROM edge
      UNION ALL
      SELECT to_node_id, 2 * edge.id + 1 FROM edge
    ) AS m
    JOIN node AS n ON n.id = m.id
    GROUP BY n.id, n.trace_id
  )
)
SELECT
  p.trace_id,
  p.id AS graph_node_id,
  p.operator,
  CASE WHEN b.id IS NOT NULL THEN 'BW' ELSE p.phase END AS phase,
  CASE
    WHEN p.fixed_name IS NOT NULL AND p.fixed_name <> 'FW' THEN p.fixed_name
    ELSE CASE WHEN b.id IS NOT NULL THEN 'BW' ELSE p.phase END || '.' || replace(p.plain, '.', '_')
  END AS name,
  m.position
FROM phased AS p
LEFT JOIN backward AS b ON b.id = p.id
LEFT JOIN mention AS m ON m.id = p.id
ORDER BY graph_node_id
