/* ---
name = "traces"
version = 3
title = "Traces with source and contents"
help = """
A trace is one recording of one rank, device or machine. File figures are sums over all source files
of the trace.
"""
grain = ["trace_id"]
requires = { schema = ">=15" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "name", "rank", "format", "kind", "n_slices", "n_nodes", "n_unused",
  "n_problems", "damage", "span_ns", "content_bytes", "path", "rank_rule", "timeline_trace_id",
  "pair_rule",
]

[column]
trace_id = { type = "BIGINT", unit = "id", help = "Trace" }
name = { nullable = false, help = "Trace name" }
format = { type = "VARCHAR", unit = "text", help = "Imported format" }
kind.help = "timeline; or graph: nodes and edges without a timeline"
n_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes in the graphs of the trace" }
span_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Duration of the timeline; NULL if it is empty" }
path = { nullable = true, help = "Source file, or the first of several; NULL: none" }

[column.n_problems]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of import problems, listed in import_problem"

[column.damage]
type = "VARCHAR"
unit = "text"
nullable = true
help = "What of the source files could not be read; NULL: nothing"

[column.rank_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "How the rank was determined: option, file, file_name, timeline (the timeline of a graph)"

[column.timeline_trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Timeline that the process of a graph recorded; NULL if none was found"

[column.pair_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "How the timeline of a graph was found: process, rank, or run (the only one)"

[changes]
1 = "first version"
3 = "new column damage"
2 = "new columns kind, n_nodes, rank_rule, timeline_trace_id and pair_rule, for graphs and how their ranks and timelines were determined"
--- */
WITH slice_count AS (
  SELECT trace_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id
),
node_count AS (
  SELECT trace_id, count(*) AS n_nodes
  FROM graph_node
  GROUP BY trace_id
),
unused AS (
  SELECT trace_id, sum(value)::BIGINT AS n_unused
  FROM import_stat
  WHERE name = 'unused'
  GROUP BY trace_id
),
problem AS (
  SELECT trace_id, sum("count")::BIGINT AS n_problems
  FROM import_problem
  GROUP BY trace_id
),
file AS (
  SELECT
    trace_id,
    sum(n_content_bytes)::BIGINT AS content_bytes,
    min_by(path, id) AS path
  FROM source_file
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name,
  t.rank,
  t.format,
  t.kind,
  coalesce(s.n_slices, 0) AS n_slices,
  coalesce(n.n_nodes, 0) AS n_nodes,
  coalesce(u.n_unused, 0) AS n_unused,
  coalesce(p.n_problems, 0) AS n_problems,
  t.damage,
  t.end_ts - t.start_ts AS span_ns,
  coalesce(f.content_bytes, 0) AS content_bytes,
  f.path,
  t.rank_rule,
  t.timeline_trace_id,
  t.pair_rule
FROM trace AS t
JOIN run AS r ON r.id = t.run_id
LEFT JOIN slice_count AS s ON s.trace_id = t.id
LEFT JOIN node_count AS n ON n.trace_id = t.id
LEFT JOIN unused AS u ON u.trace_id = t.id
LEFT JOIN problem AS p ON p.trace_id = t.id
LEFT JOIN file AS f ON f.trace_id = t.id
ORDER BY t.run_id, t.rank, t.id
