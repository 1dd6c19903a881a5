/* ---
name = "traces"
version = 2
title = "The traces, where they came from and what they hold"
help = """
One trace is one capture of one rank, device or machine. Figures of the files are sums over all the
files the trace was read from.
"""
grain = ["trace_id"]

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run it belongs to"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "That run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "id"
help = "The trace"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its rank, if known"

[[column]]
name = "format"
type = "VARCHAR"
unit = "text"
help = "What it was read as"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "timeline, or graph: nodes and edges, nothing on a timeline"

[[column]]
name = "n_slices"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Slices on its timeline"

[[column]]
name = "n_nodes"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Nodes of the graphs in it"

[[column]]
name = "n_unused"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Events of the file that the timeline does not show; import_stat says why"

[[column]]
name = "n_problems"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Defects found while importing; import_problem says which"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Length of the timeline; NULL when it is empty"

[[column]]
name = "content_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Size of its files after decompression"

[[column]]
name = "path"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its file, or the first of them; NULL when it was read from none"

[[column]]
name = "rank_rule"
type = "VARCHAR"
unit = "text"
nullable = true
help = "How the rank was found: option, file, file_name, timeline (that of the timeline of a graph)"

[[column]]
name = "timeline_trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Of a graph: the timeline its process recorded; NULL when none was found"

[[column]]
name = "pair_rule"
type = "VARCHAR"
unit = "text"
nullable = true
help = "How that timeline was found: process, rank, or run where there was but one"

[changes]
1 = "first version"
2 = "kind, n_nodes, rank_rule, timeline_trace_id and pair_rule are new: graphs, and how their ranks and timelines were found"
--- */
WITH sliced AS (
  SELECT trace_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id
),
noded AS (
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
  t.end_ts - t.start_ts AS span_ns,
  coalesce(f.content_bytes, 0) AS content_bytes,
  f.path,
  t.rank_rule,
  t.timeline_trace_id,
  t.pair_rule
FROM trace AS t
JOIN run AS r ON r.id = t.run_id
LEFT JOIN sliced AS s ON s.trace_id = t.id
LEFT JOIN noded AS n ON n.trace_id = t.id
LEFT JOIN unused AS u ON u.trace_id = t.id
LEFT JOIN problem AS p ON p.trace_id = t.id
LEFT JOIN file AS f ON f.trace_id = t.id
ORDER BY t.run_id, t.rank, t.id
