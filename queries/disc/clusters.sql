/* ---
name = "clusters"
version = 1
title = "Dumped clusters, with their calls and whether they can be replayed"
help = """
One row for each dumped program or archive. Clusters with the same graph_hash compute the same.
Calls are executions of the log whose types and ranks are those of this cluster alone. Most called
first.
"""
grain = ["disc_cluster_id"]
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "status", "device_type", "graph_hash",
  "n_same_graph", "n_calls", "n_shapes", "n_arguments", "argument_bytes", "n_nodes", "compile_ns",
  "dumped_at_ns", "pair_method", "program", "data",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
function.help = "Name of the function; NULL: the program is missing or unreadable"
status = { type = "VARCHAR", unit = "text", help = "replayable, or the first problem" }
device_type = { type = "VARCHAR", unit = "text", nullable = true, help = "MLIR_GPU or MLIR_CPU" }
graph_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "Equal for clusters that compute the same, whatever their names" }
n_same_graph = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Number of clusters with this graph_hash, this one included" }
n_calls = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls in the log" }
n_shapes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of different shapes of these calls" }
n_arguments = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of arguments" }
argument_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of the dumped values; NULL: none were dumped" }
n_nodes = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number of nodes of all its functions" }
compile_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "From the writing of the program to the end of the compilation; NULL: not logged" }
dumped_at_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Time of the dump, since the epoch" }
pair_method = { type = "VARCHAR", unit = "text", help = "How program and archive were found to belong together: content, name, only; none" }
program = { type = "VARCHAR", unit = "text", nullable = true, help = "File name of the program; NULL: missing" }
data = { type = "VARCHAR", unit = "text", nullable = true, help = "File name of the archive with the values; NULL: none belongs to it" }

[changes]
1 = "first version"
--- */
WITH called AS (
  SELECT disc_cluster_id, count(*) AS n_calls, count(DISTINCT shapes_json) AS n_shapes
  FROM disc_cluster_call
  WHERE disc_cluster_id IS NOT NULL
  GROUP BY disc_cluster_id
),
taken AS (
  SELECT disc_cluster_id, count(*) AS n_arguments, sum(bytes)::BIGINT AS argument_bytes
  FROM disc_cluster_argument
  GROUP BY disc_cluster_id
),
same AS (
  SELECT graph_hash, count(*) AS n_same_graph
  FROM disc_cluster
  WHERE graph_hash IS NOT NULL
  GROUP BY graph_hash
)
SELECT
  t.run_id,
  c.trace_id,
  c.id AS disc_cluster_id,
  c.function,
  c.status,
  c.device_type,
  c.graph_hash,
  s.n_same_graph,
  coalesce(r.n_calls, 0) AS n_calls,
  coalesce(r.n_shapes, 0) AS n_shapes,
  coalesce(a.n_arguments, 0) AS n_arguments,
  a.argument_bytes,
  c.n_nodes,
  c.compile_ns,
  c.dumped_at_ns,
  c.pair_method,
  c.program,
  c.data
FROM disc_cluster AS c
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN called AS r ON r.disc_cluster_id = c.id
LEFT JOIN taken AS a ON a.disc_cluster_id = c.id
LEFT JOIN same AS s ON s.graph_hash = c.graph_hash
ORDER BY t.run_id, c.trace_id, n_calls DESC, c.id
