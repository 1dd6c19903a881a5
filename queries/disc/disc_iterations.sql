/* ---
name = "disc_iterations"
version = 1
title = "Iterations of replayed clusters: kernels, copies, and time without work"
help = """
A replay copies the arguments to the device and runs the cluster, once for each iteration; the last
one is the measured one. Times are of the device: from the first copy to the end of the last work.
"""
grain = ["trace_id", "iteration"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "iteration", "is_measured", "start_ns",
  "end_ns", "wall_ns", "busy_ns", "idle_ns", "n_kernels", "kernel_ns", "n_copies", "copy_ns",
  "copied_bytes",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
is_measured = { type = "BOOLEAN", unit = "bool", help = "The last iteration" }
start_ns.help = "Start of its first copy"
end_ns.help = "End of its last work on the device"
wall_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "end_ns - start_ns" }
busy_ns.help = "Time with work on the device"
idle_ns.help = "Time without: wall_ns - busy_ns"
n_kernels = { type = "BIGINT", unit = "count", check = ">= 0", help = "Kernels" }
kernel_ns.help = "Sum of the durations of the kernels"
n_copies = { type = "BIGINT", unit = "count", check = ">= 0", help = "Copies to the device" }
copy_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations of these copies" }
copied_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Size of these copies" }

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT
    *,
    -- What this work adds to the time that earlier work of the iteration covers.
    greatest(0, ts + dur_ns - greatest(ts, coalesce(max(ts + dur_ns) OVER (
      PARTITION BY trace_id, iteration ORDER BY ts, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), ts))) AS new_ns
  FROM disc_iteration_op()
)
SELECT
  any_value(run_id) AS run_id,
  trace_id,
  any_value(disc_cluster_id) AS disc_cluster_id,
  any_value(function) AS function,
  iteration,
  bool_or(is_measured) AS is_measured,
  min(ts) AS start_ns,
  max(ts + dur_ns) AS end_ns,
  max(ts + dur_ns) - min(ts) AS wall_ns,
  sum(new_ns)::BIGINT AS busy_ns,
  (max(ts + dur_ns) - min(ts) - sum(new_ns))::BIGINT AS idle_ns,
  count(*) FILTER (kind = 'kernel') AS n_kernels,
  coalesce(sum(dur_ns) FILTER (kind = 'kernel'), 0)::BIGINT AS kernel_ns,
  count(*) FILTER (direction = 'HtoD') AS n_copies,
  coalesce(sum(dur_ns) FILTER (direction = 'HtoD'), 0)::BIGINT AS copy_ns,
  coalesce(sum(bytes) FILTER (direction = 'HtoD'), 0)::BIGINT AS copied_bytes
FROM work
GROUP BY trace_id, iteration
ORDER BY trace_id, iteration
