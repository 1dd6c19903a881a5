/* ---
name = "disc_replay_summary"
version = 1
title = "Kernels of replayed clusters in the measured iteration"
help = """
Kernels by name in the last iteration, with what their names say of the fusion (disc_kernel), and
their mean time in the iterations before, the warm-up. Longest first.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1", "disc_kernel@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "name", "fusion_kind", "roots", "n_fused",
  "variant", "is_library", "n_kernels", "total_ns", "share", "warmup_mean_ns",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
name.help = "Name of the kernel"
fusion_kind = { type = "VARCHAR", unit = "text", nullable = true, help = "kLoop, kRowReduction, ...; gKernel: no fusion; NULL: of a library" }
roots = { type = "VARCHAR", unit = "text", nullable = true, help = "Operations whose results it writes, joined by _" }
n_fused = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Operations in the fusion" }
variant = { type = "VARCHAR", unit = "text", nullable = true, help = "How it was compiled: 1w1r, vectile4, ..., joined by X" }
is_library = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Not compiled by BladeDISC" }
share.help = "Share of the kernel time of the measured iteration"
warmup_mean_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Mean time for each iteration before; NULL: none was recorded" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT * FROM disc_iteration_op() WHERE kind = 'kernel'
),
warm AS (
  SELECT trace_id, count(DISTINCT iteration) AS n_iterations
  FROM disc_iteration_op()
  WHERE NOT is_measured
  GROUP BY trace_id
),
named AS (
  SELECT
    any_value(run_id) AS run_id,
    trace_id,
    any_value(disc_cluster_id) AS disc_cluster_id,
    any_value(function) AS function,
    name,
    count(*) FILTER (is_measured) AS n_kernels,
    sum(dur_ns) FILTER (is_measured)::BIGINT AS total_ns,
    coalesce(sum(dur_ns) FILTER (NOT is_measured), 0)::BIGINT AS warmup_ns
  FROM kernel
  GROUP BY trace_id, name
)
SELECT
  n.run_id,
  n.trace_id,
  n.disc_cluster_id,
  n.function,
  n.name,
  k.fusion_kind,
  k.roots,
  k.n_fused,
  k.variant,
  k.is_library,
  n.n_kernels,
  n.total_ns,
  n.total_ns / nullif(sum(n.total_ns) OVER (PARTITION BY n.trace_id), 0)::DOUBLE AS share,
  n.warmup_ns / w.n_iterations::DOUBLE AS warmup_mean_ns
FROM named AS n
LEFT JOIN disc_kernel() AS k ON k.trace_id = n.trace_id AND k.name = n.name
LEFT JOIN warm AS w ON w.trace_id = n.trace_id
WHERE n.n_kernels > 0
ORDER BY n.trace_id, n.total_ns DESC, n.name
