/* ---
name = "cluster_ops"
version = 1
title = "Operations of dumped clusters"
help = "Number of nodes of each type of operation in each cluster, with those of functions it calls."
grain = ["disc_cluster_id", "op"]
scale = "trace"
columns = ["run_id", "trace_id", "disc_cluster_id", "function", "op", "n_nodes"]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
function.help = "Name of the cluster's function"
op = { type = "VARCHAR", unit = "text", help = "Type of the operation" }
n_nodes = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of nodes" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  c.trace_id,
  c.id AS disc_cluster_id,
  c.function,
  n.type AS op,
  count(*) AS n_nodes
FROM disc_cluster AS c
JOIN graph_node AS n ON n.graph_id = c.graph_id
JOIN trace AS t ON t.id = c.trace_id
GROUP BY t.run_id, c.trace_id, c.id, c.function, n.type
ORDER BY t.run_id, c.id, n_nodes DESC, op
