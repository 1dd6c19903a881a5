/* ---
name = "replay_coverage"
version = 1
title = "How much of the waiting of work the links of a replay explain, by rank and kind"
help = """
Work is ready once all that it depends on (replay_edge) has ended as measured and the delays have passed.
What passes until it starts is explained by nothing. Of timelines, whose nodes have measured times;
pieces of host threads follow each other without waiting for anything else.
"""
grain = ["run_id", "trace_id", "kind"]
requires = { schema = ">=17", queries = ["replay_measured_edge@1", "replay_measured_node@1"] }
scale = "run"
needs = "nodes with measured times, which those of dPRO trials do not have, as they are means of steps"
columns = ["run_id", "trace_id", "rank", "kind", "n_nodes", "n_without_cause", "dur_ns", "unexplained_ns", "share"]

[column]
trace_id.nullable = true
kind.help = "As in replay_node"
n_nodes = { type = "BIGINT", unit = "count", check = "> 0", help = "Nodes of replay_node" }
n_without_cause = { type = "BIGINT", unit = "count", check = ">= 0", help = "Of these, such that nothing comes before them: they start as measured" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Their durations" }
unexplained_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time that passes between being ready and starting" }
share.help = "unexplained_ns / (dur_ns + unexplained_ns)"

[changes]
1 = "first version"
--- */
WITH node AS (
  SELECT run_id, trace_id, rank, node_id, kind, dur_ns, start_ns, end_ns FROM replay_measured_node()
),
ready AS (
  SELECT e.run_id, e.to_id, max(a.end_ns + e.delay_ns) AS ready_ns
  FROM replay_measured_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  GROUP BY e.run_id, e.to_id
),
total AS (
  SELECT
    n.run_id, n.trace_id, any_value(n.rank) AS rank, n.kind, count(*) AS n_nodes,
    count(*) FILTER (WHERE r.to_id IS NULL) AS n_without_cause,
    sum(n.dur_ns) AS dur_ns,
    coalesce(sum(greatest(n.start_ns - r.ready_ns, 0)), 0) AS unexplained_ns
  FROM node AS n
  LEFT JOIN ready AS r ON r.run_id = n.run_id AND r.to_id = n.node_id
  GROUP BY n.run_id, n.trace_id, n.kind
)
SELECT
  run_id, trace_id, rank, kind, n_nodes, n_without_cause, dur_ns, unexplained_ns,
  unexplained_ns / nullif(dur_ns + unexplained_ns, 0) AS share
FROM total
ORDER BY run_id, trace_id, kind
