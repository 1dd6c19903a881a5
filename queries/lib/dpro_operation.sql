/* ---
name = "dpro_operation"
version = 2
title = "Operators of dPRO's local graphs, with dPRO's names"
help = """
dPRO puts the phase before the name of an operator: FW., BW., UPDATE_. or Comm. (of tensors). The
phase follows from the name and the graph: what depends on communication updates weights, what
depends on a backward operator is backward. Dots in names become underscores. Operators that are
forward by their name, but depend on a backward one, come last (is_renamed), as dPRO renames their nodes.
"""
grain = ["graph_node_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"] }
scale = "trace"
computed_once = true
columns = ["trace_id", "graph_node_id", "operator", "phase", "name", "position", "is_renamed"]

[column]
operator = { type = "VARCHAR", unit = "text", nullable = true, help = "Name in the framework" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_ or Comm" }
name.help = "Name in dPRO"

is_renamed = { type = "BOOLEAN", unit = "bool", help = "Whether the operator is backward though its name is that of a forward one" }

[column.position]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Place of the name in dPRO's local graph: in the order in which the edges, by their sources, name it first, renamed nodes last; NULL: no edge names it"

[changes]
2 = "operators after one that updates weights by its name alone are not updates; places of renamed nodes"
1 = "first version"
--- */
WITH RECURSIVE node AS (
  SELECT
    n.id,
    n.trace_id,
    n.name AS operator,
    regexp_replace(n.name, '/_[^/]*$', '') AS cut_name,
    regexp_replace(regexp_replace(n.name, '^\^', ''), '/_[^/]*$', '') AS plain
  FROM graph_node AS n
  JOIN graph AS g ON g.id = n.graph_id
  WHERE g.kind = 'dpro'
),
-- edges as NetworkX lists them: by their sources
edge AS (
  SELECT
    e.trace_id, e.from_node_id, e.to_node_id,
    row_number() OVER (PARTITION BY e.trace_id ORDER BY e.from_node_id, e.id) AS place
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
    contains(operator, 'Assign') OR contains(operator, 'SGD') OR operator = 'GradientDescent'
      OR contains(operator, 'GradientDescent') AND contains(operator, 'update')
      AS is_named_update,
    contains(lower(plain), 'allreduce')
      OR starts_with(plain, 'gradients')
      OR starts_with(plain, 'gradient_tape')
        AND NOT ends_with(plain, 'ShapeN') AND NOT contains(plain, 'LayoutOptimizer')
      AS is_named_backward
  FROM node
),
-- what follows a node also follows one that waits for it
following AS (
  SELECT from_node_id, to_node_id FROM edge
  UNION
  SELECT n.id, e.to_node_id
  FROM node AS n
  JOIN node AS c ON c.trace_id = n.trace_id AND c.operator = '^' || n.operator
  JOIN edge AS e ON e.from_node_id = c.id
),
updating AS (
  SELECT e.to_node_id AS id
  FROM edge AS e
  JOIN named AS n ON n.id = e.from_node_id
  WHERE starts_with(n.fixed_name, 'Comm.')
  UNION
  SELECT f.to_node_id
  FROM updating AS u
  JOIN following AS f ON f.from_node_id = u.id
),
update_name AS (
  SELECT trace_id, cut_name AS name
  FROM named
  WHERE is_named_update OR id IN (SELECT id FROM updating)
),
phased AS (
  SELECT
    *,
    CASE
      WHEN fixed_name IS NOT NULL AND fixed_name <> 'FW' THEN fixed_name
      ELSE phase || '.' || replace(plain, '.', '_')
    END AS name
  FROM (
    SELECT
      *,
      CASE
        WHEN fixed_name IS NOT NULL
          THEN regexp_extract(fixed_name, '^(?:[A-Z]+_|[A-Za-z/]+)')
        WHEN (trace_id, plain) IN (SELECT (trace_id, name) FROM update_name) THEN 'UPDATE_'
        WHEN is_named_backward THEN 'BW'
        ELSE 'FW'
      END AS phase
    FROM named
  )
),
named_edge AS (
  SELECT e.trace_id, a.name AS from_name, b.name AS to_name, min(e.place) AS place
  FROM edge AS e
  JOIN phased AS a ON a.id = e.from_node_id
  JOIN phased AS b ON b.id = e.to_node_id
  GROUP BY e.trace_id, a.name, b.name
),
backward AS (
  SELECT DISTINCT trace_id, name FROM phased WHERE contains(name, 'BW')
  UNION
  SELECT e.trace_id, e.to_name
  FROM backward AS b
  JOIN named_edge AS e ON e.trace_id = b.trace_id AND e.from_name = b.name
  WHERE contains(e.to_name, 'FW')
),
-- each edge names its source and then its target
mention AS (
  SELECT
    trace_id, name, is_renamed,
    row_number() OVER (PARTITION BY trace_id ORDER BY is_renamed, min(place)) - 1 AS position
  FROM (
    SELECT
      m.*,
      contains(m.name, 'FW') AND (m.trace_id, m.name) IN (SELECT (trace_id, name) FROM backward) AS is_renamed
    FROM (
      SELECT trace_id, from_name AS name, 2 * place AS place FROM named_edge
      UNION ALL
      SELECT trace_id, to_name, 2 * place + 1 FROM named_edge
    ) AS m
  )
  GROUP BY trace_id, name, is_renamed
)
SELECT
  p.trace_id,
  p.id AS graph_node_id,
  p.operator,
  CASE WHEN coalesce(m.is_renamed, false) THEN 'BW' ELSE p.phase END AS phase,
  CASE WHEN coalesce(m.is_renamed, false) THEN replace(p.name, 'FW', 'BW') ELSE p.name END AS name,
  m.position,
  coalesce(m.is_renamed, false) AS is_renamed
FROM phased AS p
LEFT JOIN mention AS m ON m.trace_id = p.trace_id AND m.name = p.name
ORDER BY graph_node_id
