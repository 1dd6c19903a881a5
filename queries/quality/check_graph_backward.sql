/* ---
name = "check_graph_backward"
version = 1
title = "Graph dependency that points back in time"
help = """
A node that began after a node that depends on it, in graphs whose nodes have start times. Control
dependencies are not checked. Chakra files for simulators exclude such dependencies.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of dependencies between nodes with start times"
examples.help = "Up to three, as ids and names"

[changes]
1 = "first version"
--- */
WITH dependency AS (
  SELECT
    e.trace_id,
    e.id,
    e.kind,
    f.node_id || ' ' || coalesce(f.name, '') AS from_node,
    t.node_id || ' ' || coalesce(t.name, '') AS to_node,
    f.start_ns > t.start_ns AS is_backward
  FROM graph_edge AS e
  JOIN graph_node AS f ON f.id = e.from_node_id
  JOIN graph_node AS t ON t.id = e.to_node_id
  WHERE e.kind <> 'control'
    AND f.start_ns > 0
    AND t.start_ns > 0
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY trace_id, is_backward ORDER BY id) AS place
  FROM dependency
),
finding AS (
  SELECT
    trace_id,
    count(*) FILTER (is_backward) AS n_found,
    count(*) AS n_looked_at,
    string_agg(
      CASE WHEN is_backward AND place <= 3
        THEN to_node || ' waits for ' || from_node || ' (' || kind || ')'
      END,
      '; ' ORDER BY place
    ) AS examples
  FROM placed
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'graph_backward' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Nodes of a graph wait for nodes that began later: if such a dependency closes a cycle, '
    || 'the graph cannot be executed.' AS meaning,
  'Rebuild the links with `tw link --graphs`; exports for simulators exclude these dependencies.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
WHERE f.n_found > 0
ORDER BY t.run_id, t.rank, t.id
