/* ---
name = "replay_graph"
version = 1
title = "Graphs that replays simulate: linked graphs, Chakra's files and host traces with times"
help = """
One graph of each trace: the linked one, else a Chakra file, else an imported host trace with
durations. A run with a timeline in scope is replayed by that, and has none here.
"""
grain = ["graph_id"]
requires = { schema = ">=17" }
scale = "run"
columns = ["graph_id", "graph_kind", "trace_id", "run_id", "rank", "base_ns"]

[column]
base_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "First recorded start; NULL: the graph has durations only" }

[changes]
1 = "first version"
--- */
WITH timed AS (
  SELECT graph_id, min(start_ns) AS base_ns, max(start_ns) AS last_ns
  FROM graph_node
  WHERE dur_ns > 0
  GROUP BY graph_id
),
preferred AS (
  SELECT
    g.id AS graph_id,
    g.kind AS graph_kind,
    g.trace_id,
    t.run_id,
    t.rank,
    CASE WHEN n.last_ns > 0 THEN n.base_ns END AS base_ns,
    row_number() OVER (
      PARTITION BY g.trace_id
      ORDER BY CASE g.kind WHEN 'linked' THEN 0 WHEN 'chakra' THEN 1 ELSE 2 END, g.id
    ) AS place
  FROM graph AS g
  JOIN trace AS t ON t.id = g.trace_id
  JOIN timed AS n ON n.graph_id = g.id
  WHERE (g.kind IN ('chakra', 'execution_trace') OR g.kind = 'linked' AND g.link_set = 'default')
    AND t.run_id NOT IN (SELECT run_id FROM trace WHERE kind = 'timeline')
)
SELECT graph_id, graph_kind, trace_id, run_id, rank, base_ns
FROM preferred
WHERE place = 1
ORDER BY graph_id
