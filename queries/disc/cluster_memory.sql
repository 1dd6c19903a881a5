/* ---
name = "cluster_memory"
version = 1
title = "Memory that replays of clusters take"
help = """
disc-replay-main copies the arguments to the device anew for each iteration and frees nothing, so
that a replay takes the arguments' size for each iteration before the measured one, and for that
one. Results and workspace come on top.
"""
grain = ["disc_cluster_id"]
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "n_copies", "argument_bytes",
  "n_iterations", "replay_bytes",
]

[param.warmup]
type = "BIGINT"
unit = "count"
default = 5
min = 0
help = "Iterations before the measured one"

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
function.help = "Name of the cluster's function"
n_copies = { type = "BIGINT", unit = "count", check = ">= 0", help = "Copies to the device in each iteration: arguments that do not stay on the host" }
argument_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of these arguments; NULL: unknown" }
n_iterations = { type = "BIGINT", unit = "count", check = "> 0", help = "Iterations, with the measured one" }
replay_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of all copies; NULL: unknown" }

[changes]
1 = "first version"
--- */
WITH copied AS (
  SELECT
    disc_cluster_id,
    count(*) AS n_copies,
    count(bytes) AS n_known,
    coalesce(sum(bytes), 0)::BIGINT AS known_bytes
  FROM disc_cluster_argument
  WHERE placement IS DISTINCT FROM 'cpu'
  GROUP BY disc_cluster_id
)
SELECT
  t.run_id,
  c.trace_id,
  c.id AS disc_cluster_id,
  c.function,
  coalesce(a.n_copies, 0) AS n_copies,
  CASE WHEN c.graph_id IS NOT NULL AND a.n_copies IS NOT DISTINCT FROM a.n_known
    THEN coalesce(a.known_bytes, 0) END AS argument_bytes,
  $warmup::BIGINT + 1 AS n_iterations,
  CASE WHEN c.graph_id IS NOT NULL AND a.n_copies IS NOT DISTINCT FROM a.n_known
    THEN coalesce(a.known_bytes, 0) * ($warmup::BIGINT + 1) END AS replay_bytes
FROM disc_cluster AS c
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN copied AS a ON a.disc_cluster_id = c.id
ORDER BY t.run_id, c.id
