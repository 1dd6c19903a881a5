/* ---
name = "disc_iteration"
version = 1
title = "Iterations of replayed clusters"
help = """
Iterations of profiles that are linked to one cluster (disc_cluster_profile). Each lasts from its
first copy to that of the next; the last one is the measured one, those before warm up.
"""
grain = ["trace_id", "iteration"]
requires = { schema = ">=22" }
scale = "once"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "graph_hash", "signature_hash", "iteration",
  "is_measured", "start_ns", "until_ns", "process_id", "context_id", "n_copies",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
graph_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "graph_hash of the cluster" }
signature_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "signature_hash of the cluster" }
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
is_measured = { type = "BOOLEAN", unit = "bool", help = "The last iteration" }
start_ns.help = "Start of its first copy"
until_ns = { type = "BIGINT", unit = "ns", help = "Start of the next iteration; of the last one the greatest time" }
process_id.help = "Process of the replay"
context_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Context of the device" }
n_copies = { type = "BIGINT", unit = "count", check = ">= 0", help = "Copies of arguments" }

[changes]
1 = "first version"
--- */
WITH begun AS (
  SELECT
    profile_trace_id,
    disc_cluster_id,
    function,
    graph_hash,
    signature_hash,
    len(copied_bytes) AS n_copies,
    unnest(first_copy_ids) AS slice_id,
    generate_subscripts(first_copy_ids, 1) - 1 AS iteration,
    len(first_copy_ids) - 1 AS last
  FROM disc_cluster_profile
  WHERE n_candidates = 1
)
SELECT
  t.run_id,
  g.trace_id,
  b.disc_cluster_id,
  b.function,
  b.graph_hash,
  b.signature_hash,
  b.iteration,
  b.iteration = b.last AS is_measured,
  g.ts AS start_ns,
  coalesce(
    lead(g.ts) OVER (PARTITION BY g.trace_id ORDER BY b.iteration),
    9223372036854775807
  ) AS until_ns,
  k.process_id,
  g.context_id,
  b.n_copies
FROM begun AS b
JOIN gpu_op AS g ON g.slice_id = b.slice_id AND g.trace_id = b.profile_trace_id
JOIN track AS k ON k.id = g.track_id
JOIN trace AS t ON t.id = g.trace_id
ORDER BY g.trace_id, b.iteration
