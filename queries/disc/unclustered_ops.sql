/* ---
name = "unclustered_ops"
version = 1
title = "Operations by their nodes that are in no cluster"
help = """
What the compiler leaves to TensorFlow, as its runtime counts the nodes of all graphs of a process. Most
nodes in no cluster first.
"""
grain = ["trace_id", "op"]
requires = { schema = ">=24" }
scale = "trace"
columns = ["run_id", "trace_id", "op", "n_nodes", "n_unclustered", "share"]

[column]
op = { type = "VARCHAR", unit = "text", help = "Operation" }
n_nodes = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Nodes" }
n_unclustered = { type = "BIGINT", unit = "count", check = ">= 0", help = "Nodes in no cluster" }
share = { type = "DOUBLE", unit = "ratio", nullable = true, help = "n_unclustered / n_nodes" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  o.trace_id,
  o.op,
  o.n_nodes,
  coalesce(o.n_unclustered, 0) AS n_unclustered,
  coalesce(o.n_unclustered, 0) / nullif(o.n_nodes, 0)::DOUBLE AS share
FROM disc_operation AS o
JOIN trace AS t ON t.id = o.trace_id
ORDER BY t.run_id, o.trace_id, coalesce(o.n_unclustered, 0) DESC, o.n_nodes DESC NULLS LAST, o.op
