/* ---
name = "disc_roofline"
version = 1
title = "Memory traffic of replayed clusters, at least, against the peak of the device"
help = """
A cluster reads each argument on the device once at least, so that the size of the copies by the
kernel time of the measured iteration is a lower bound of the bandwidth it reaches. The results, and
what passes between kernels, come on top. Near the peak, a cluster cannot become faster without
reading less.
"""
grain = ["trace_id"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "device_id", "device_name", "copied_bytes",
  "n_kernels", "kernel_ns", "bytes_per_s", "peak_bytes_per_s", "peak_share",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
device_id.help = "Device"
copied_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Size of the arguments that are copied to the device" }
n_kernels = { type = "BIGINT", unit = "count", check = ">= 0", help = "Kernels" }
kernel_ns.help = "Sum of the durations of the kernels"
bytes_per_s.help = "copied_bytes / kernel_ns: what kernels read at least; NULL: no kernels"
peak_bytes_per_s.help = "Peak of the memory of the device; NULL: not recorded"
peak_share.help = "bytes_per_s / peak_bytes_per_s"

[changes]
1 = "first version"
--- */
WITH measured AS (
  SELECT
    any_value(run_id) AS run_id,
    trace_id,
    any_value(disc_cluster_id) AS disc_cluster_id,
    any_value(function) AS function,
    min(device_id) AS device_id,
    coalesce(sum(bytes) FILTER (direction = 'HtoD'), 0)::BIGINT AS copied_bytes,
    count(*) FILTER (kind = 'kernel') AS n_kernels,
    coalesce(sum(dur_ns) FILTER (kind = 'kernel'), 0)::BIGINT AS kernel_ns
  FROM disc_iteration_op()
  WHERE is_measured
  GROUP BY trace_id
)
SELECT
  m.run_id,
  m.trace_id,
  m.disc_cluster_id,
  m.function,
  m.device_id,
  d.name AS device_name,
  m.copied_bytes,
  m.n_kernels,
  m.kernel_ns,
  m.copied_bytes * 1e9 / nullif(m.kernel_ns, 0) AS bytes_per_s,
  d.peak_bytes_per_s,
  m.copied_bytes * 1e9 / nullif(m.kernel_ns, 0) / nullif(d.peak_bytes_per_s, 0) AS peak_share
FROM measured AS m
LEFT JOIN device AS d ON d.id = m.device_id
ORDER BY m.trace_id
