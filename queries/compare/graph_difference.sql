/* ---
name = "graph_difference"
version = 1
title = "Differences between the graphs of two sides: nodes by name, shapes and caller, and tree equality"
help = """
Nodes with equal name, shapes, types and parent name are counted on both sides. All graphs of a side
are combined, so there are no run or rank columns. Works on host execution traces, imported .et
files and linked graphs. graph_kind selects one; the default is the first of execution_trace, linked
and chakra that both sides have (for linked graphs the default set), else the first of each side.
structure_a and structure_b are digests of all paths of a side (see graph_structure): equal digests
mean equal trees regardless of call order. n_moved counts nodes that both sides have under different
chains of callers. Times need linked graphs or .et files.
"""
grain = ["side", "name", "input_shapes", "input_types", "parent_name"]
requires = { schema = ">=11", queries = ["compare_side@1", "graph_structure@1"] }
columns = [
  "status", "side", "name", "input_shapes", "input_types", "parent_name", "n_a", "n_b", "n_change",
  "n_moved", "self_a_ns", "self_b_ns", "self_change_ns", "n_graphs_a", "n_graphs_b", "structure_a",
  "structure_b", "is_same_structure",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[param.graph_kind]
type = "VARCHAR"
nullable = true
help = "Graph kind: execution_trace, linked or chakra; null: the first that both sides have"

[param.with_same]
type = "BOOLEAN"
default = false
help = "Include rows that are equal on both sides"

[column]
side = { type = "VARCHAR", unit = "text", help = "host or device" }
name = { nullable = false, help = "Node name without step number" }
input_shapes.help = "Input shapes; none for device work"
input_types.help = "Input types; none for device work"
parent_name = { type = "VARCHAR", unit = "text", nullable = true, help = "Calling node; NULL: a root" }
n_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes on side a" }
n_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes on side b" }
n_change = { type = "BIGINT", unit = "count", help = "n_b - n_a" }
self_change_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "self_b_ns - self_a_ns; NULL: one is unknown" }
n_graphs_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of graphs compared on side a" }
n_graphs_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of graphs compared on side b" }
is_same_structure = { type = "BOOLEAN", unit = "bool", help = "Whether structure_a and structure_b are equal" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'changed', 'same')"
help = "added: only on side b; removed: only on side a; changed: different count or position; same"

[column.n_moved]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of nodes on both sides with different chains of callers"

[column.self_a_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Self time on side a; NULL: unknown"

[column.self_b_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Self time on side b; NULL: unknown"

[column.structure_a]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Digest of the trees of side a; NULL: no graph"

[column.structure_b]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Digest of the trees of side b; NULL: no graph"

[changes]
1 = "first version"
--- */
WITH side_of AS (
  SELECT side, trace_id FROM compare_side($a::VARCHAR, $b::VARCHAR)
),
graph_of AS (
  SELECT
    s.side AS comparison_side,
    g.id AS graph_id,
    g.kind,
    coalesce(array_position(['execution_trace', 'linked', 'chakra'], g.kind), 4) AS preference
  FROM graph AS g
  JOIN side_of AS s ON s.trace_id = g.trace_id
  WHERE ($graph_kind::VARCHAR IS NULL OR g.kind = $graph_kind::VARCHAR)
    AND coalesce(g.link_set, 'default') = 'default'
),
common AS (
  SELECT min_by(kind, (preference, kind)) AS kind
  FROM (
    SELECT kind, preference
    FROM graph_of
    GROUP BY kind, preference
    HAVING count(DISTINCT comparison_side) = 2
  )
),
own AS (
  SELECT comparison_side, min_by(kind, (preference, kind)) AS kind
  FROM graph_of
  GROUP BY comparison_side
),
chosen AS (
  SELECT g.comparison_side, g.graph_id
  FROM graph_of AS g
  JOIN own AS o ON o.comparison_side = g.comparison_side
  CROSS JOIN common AS c
  WHERE g.kind = coalesce(c.kind, o.kind)
),
structure AS MATERIALIZED (
  SELECT * FROM graph_structure()
),
node AS MATERIALIZED (
  SELECT
    c.comparison_side,
    s.side,
    s.name,
    s.input_shapes,
    s.input_types,
    p.name AS parent_name,
    s.path,
    s.self_ns
  FROM structure AS s
  JOIN chosen AS c ON c.graph_id = s.graph_id
  LEFT JOIN structure AS p ON p.graph_node_id = s.parent_id
),
by_path AS MATERIALIZED (
  SELECT
    side, name, input_shapes, input_types, parent_name, path,
    count(*) FILTER (comparison_side = 'a') AS n_a,
    count(*) FILTER (comparison_side = 'b') AS n_b,
    sum(self_ns) FILTER (comparison_side = 'a') AS self_a_ns,
    sum(self_ns) FILTER (comparison_side = 'b') AS self_b_ns
  FROM node
  GROUP BY side, name, input_shapes, input_types, parent_name, path
),
whole AS (
  SELECT
    (SELECT count(*) FROM chosen WHERE comparison_side = 'a') AS n_graphs_a,
    (SELECT count(*) FROM chosen WHERE comparison_side = 'b') AS n_graphs_b,
    md5(string_agg(path || ':' || n_a, ',' ORDER BY path) FILTER (n_a > 0)) AS structure_a,
    md5(string_agg(path || ':' || n_b, ',' ORDER BY path) FILTER (n_b > 0)) AS structure_b
  FROM by_path
),
counted AS (
  SELECT
    side, name, input_shapes, input_types, parent_name,
    sum(n_a)::BIGINT AS n_a,
    sum(n_b)::BIGINT AS n_b,
    (least(sum(n_a), sum(n_b)) - sum(least(n_a, n_b)))::BIGINT AS n_moved,
    sum(self_a_ns)::BIGINT AS self_a_ns,
    sum(self_b_ns)::BIGINT AS self_b_ns
  FROM by_path
  GROUP BY side, name, input_shapes, input_types, parent_name
)
SELECT
  CASE
    WHEN c.n_a = 0 THEN 'added'
    WHEN c.n_b = 0 THEN 'removed'
    WHEN c.n_a <> c.n_b OR c.n_moved > 0 THEN 'changed'
    ELSE 'same'
  END AS status,
  c.side,
  c.name,
  c.input_shapes,
  c.input_types,
  c.parent_name,
  c.n_a,
  c.n_b,
  c.n_b - c.n_a AS n_change,
  c.n_moved,
  c.self_a_ns,
  c.self_b_ns,
  c.self_b_ns - c.self_a_ns AS self_change_ns,
  w.n_graphs_a,
  w.n_graphs_b,
  w.structure_a,
  w.structure_b,
  w.structure_a IS NOT DISTINCT FROM w.structure_b AS is_same_structure
FROM counted AS c
CROSS JOIN whole AS w
WHERE $with_same::BOOLEAN OR c.n_a <> c.n_b OR c.n_moved > 0
ORDER BY
  abs(c.n_b - c.n_a) DESC, c.n_moved DESC, c.n_a DESC, c.side, c.name, c.parent_name, c.input_shapes,
  c.input_types
