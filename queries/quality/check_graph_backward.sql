/* ---
name = "check_graph_backward"
version = 1
title = "Dependencies of graphs that point back in time"
help = """
Of graphs whose nodes have starts: a node that began after the one that is to wait for it. Control
dependencies are not looked at. A Chakra file for simulators leaves such dependencies out.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "The trace; NULL: the finding is of the whole run"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "check_name"
type = "VARCHAR"
unit = "text"
help = "What was looked for"

[[column]]
name = "severity"
type = "VARCHAR"
unit = "text"
check = "IN ('error', 'warning', 'note')"
help = "error: figures are wrong; warning: some may be; note: good to know"

[[column]]
name = "n_found"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was found"

[[column]]
name = "n_looked_at"
type = "BIGINT"
unit = "count"
nullable = true
help = "Dependencies between nodes that have starts"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three, as ids and names"

[[column]]
name = "meaning"
type = "VARCHAR"
unit = "text"
help = "What it is, and what it does to figures"

[[column]]
name = "remedy"
type = "VARCHAR"
unit = "text"
help = "What can be done"

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
  'Nodes of a graph wait for nodes that began later: where such a dependency closes a circle, '
    || 'nothing can run the graph.' AS meaning,
  'Link the recordings anew with `tw link chakra`; exports for simulators leave these out.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
WHERE f.n_found > 0
ORDER BY t.run_id, t.rank, t.id
