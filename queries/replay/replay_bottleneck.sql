/* ---
name = "replay_bottleneck"
version = 1
title = "What the critical path of a replay consists of, by rank, kind and name"
help = """
Time on the path of replay_critical_path: how much shorter the run would be, at most, without it.
"""
grain = ["run_id", "rank", "kind", "name"]
requires = { schema = ">=17", queries = ["replay_critical_path@1"] }
scale = "run"
needs = "nodes with measured times, which those of dPRO trials do not have, as they are means of steps; `tw replay --as NAME` stores the path of a replay, which `tw query predicted_path --run NAME` returns"
columns = ["run_id", "rank", "kind", "name", "n_nodes", "dur_ns", "delay_ns", "share"]

[column]
kind.help = "As in replay_node"
n_nodes = { type = "BIGINT", unit = "count", check = "> 0", help = "Nodes on the path" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Their durations" }
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the node before and their start" }
share = { type = "DOUBLE", unit = "ratio", nullable = true, help = "(dur_ns + delay_ns) / length of the path" }

[changes]
1 = "first version"
--- */
WITH part AS (
  SELECT
    run_id, rank, kind, name, count(*) AS n_nodes, sum(dur_ns) AS dur_ns,
    coalesce(sum(delay_ns), 0) AS delay_ns
  FROM replay_critical_path()
  GROUP BY run_id, rank, kind, name
)
SELECT
  run_id, rank, kind, name, n_nodes, dur_ns, delay_ns,
  (dur_ns + delay_ns) / nullif(sum(dur_ns + delay_ns) OVER (PARTITION BY run_id), 0) AS share
FROM part
ORDER BY run_id, dur_ns + delay_ns DESC, rank, kind, name
