/* ---
name = "graph_critical_path"
version = 1
title = "The critical path of each graph: the longest chain of nodes each of which had to end for the next"
help = """
Longest by the nodes' own time, over all dependencies: data, sync, stream and group order, other threads, from
a call to its device work, and the order of calls on a thread (graph_dependency). On linked
graphs this is host and device time together: a call that waited for device work counts without the wait, and a call whose device work began
before it ended counts up to there. Imported .et files say no start times,
so there both count in full. A host execution trace has no times: its path is the longest chain of
nodes. Launch delays and idle time are no node's and not on the path: for these, see
critical_path over the timeline. A graph with a circle has no rows.
"""
grain = ["graph_id", "n"]
requires = { schema = ">=11", queries = ["graph_call@1", "graph_dependency@1", "graph_longest_path@1"] }
portable = false

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "graph_kind"
type = "VARCHAR"
unit = "text"
help = "execution_trace: recorded on the host; linked: that with device work; chakra: an imported .et"

[[column]]
name = "link_set"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a linked graph, by whose rules: default, chakra-1.0, ...; NULL: not linked"

[[column]]
name = "n"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Place on the path, from 0"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "node_id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Its number in the graph"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "side"
type = "VARCHAR"
unit = "text"
check = "IN ('host', 'device')"
help = "host or device"

[[column]]
name = "edge_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The dependency by which the path comes to it: thread_order, control, data, sync, inter_thread, stream_order, group_order; NULL: the first"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "What it adds to the path: its own time, without waits and what overlaps the next; NULL: the graph has no times"

[[column]]
name = "path_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Length of the path to its end; NULL: the graph has no times"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "self_ns of the length of the whole path; NULL: the graph has no times"

[changes]
1 = "first version"
--- */
WITH RECURSIVE longest AS MATERIALIZED (
  SELECT *, path_weight - weight AS begin_weight FROM graph_longest_path()
),
last AS MATERIALIZED (
  SELECT
    graph_id,
    min_by(graph_node_id, (-path_weight, graph_node_id)) AS graph_node_id,
    max(path_weight) AS path_weight
  FROM longest
  GROUP BY graph_id
),
-- Twice as far each round: a path of a thousand nodes is found in ten
walk AS (
  SELECT 0 AS round, false AS is_on_path, graph_node_id AS node, before_id
  FROM longest
  WHERE before_id IS NOT NULL
  UNION ALL
  SELECT 0, true, graph_node_id, NULL
  FROM last
  UNION ALL
  (
    SELECT a.round + 1, false, a.node, b.before_id
    FROM walk AS a
    JOIN walk AS b ON b.node = a.before_id AND NOT b.is_on_path
    WHERE NOT a.is_on_path
    UNION ALL
    SELECT a.round + 1, true, a.node, NULL
    FROM walk AS a
    WHERE a.is_on_path AND EXISTS (FROM walk WHERE NOT is_on_path)
    UNION ALL
    SELECT a.round + 1, true, b.before_id, NULL
    FROM walk AS a
    JOIN walk AS b ON b.node = a.node AND NOT b.is_on_path
    WHERE a.is_on_path
  )
),
on_path AS (
  SELECT
    l.*,
    coalesce(lead(begin_weight) OVER (PARTITION BY graph_id ORDER BY n_before), path_weight)
      AS end_weight
  FROM longest AS l
  WHERE graph_node_id IN (SELECT node FROM walk WHERE is_on_path)
)
SELECT
  c.run_id,
  c.trace_id,
  c.rank,
  c.graph_id,
  c.graph_kind,
  c.link_set,
  l.n_before AS n,
  c.graph_node_id,
  c.node_id,
  c.name,
  c.side,
  d.kind AS edge_kind,
  CASE WHEN l.is_timed THEN l.end_weight - l.begin_weight END AS self_ns,
  CASE WHEN l.is_timed THEN l.end_weight END AS path_ns,
  CASE WHEN l.is_timed THEN (l.end_weight - l.begin_weight) / nullif(e.path_weight, 0) END AS share
FROM on_path AS l
JOIN last AS e ON e.graph_id = l.graph_id
JOIN graph_call() AS c ON c.graph_node_id = l.graph_node_id
LEFT JOIN graph_dependency() AS d ON d.from_id = l.before_id AND d.to_id = l.graph_node_id
ORDER BY c.run_id, c.rank, c.trace_id, c.graph_id, n
