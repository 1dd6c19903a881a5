/* ---
name = "disc_iteration_op"
version = 1
title = "Device work of the iterations of replayed clusters"
help = "Kernels, copies and memsets of the process and context of the replay, each in the last iteration that had begun."
grain = ["slice_id"]
requires = { schema = ">=22", queries = ["disc_iteration@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "graph_hash", "iteration", "is_measured",
  "slice_id", "device_id", "kind", "direction", "name", "ts", "dur_ns", "bytes",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
graph_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "graph_hash of the cluster" }
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
is_measured = { type = "BOOLEAN", unit = "bool", help = "The last iteration" }
kind.help = "kernel, memcpy or memset"
dur_ns.help = "Duration"

[changes]
1 = "first version"
--- */
SELECT
  i.run_id,
  i.trace_id,
  i.disc_cluster_id,
  i.function,
  i.graph_hash,
  i.iteration,
  i.is_measured,
  g.slice_id,
  g.device_id,
  g.kind,
  g.direction,
  g.name,
  g.ts,
  greatest(g.dur, 0) AS dur_ns,
  g.bytes
FROM (
  SELECT w.*, k.process_id
  FROM gpu_op AS w
  JOIN track AS k ON k.id = w.track_id
  WHERE w.kind <> 'sync'
) AS g
JOIN disc_iteration() AS i
  ON i.trace_id = g.trace_id
  AND i.process_id IS NOT DISTINCT FROM g.process_id
  AND i.context_id IS NOT DISTINCT FROM g.context_id
  AND g.ts >= i.start_ns AND g.ts < i.until_ns
ORDER BY i.trace_id, i.iteration, g.ts, g.slice_id
