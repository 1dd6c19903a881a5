/* ---
name = "disc_launch_bound"
version = 1
title = "Whether replayed clusters are bound by launches or by kernels"
help = """
From the first to the last kernel of an iteration: time of kernels, and gaps between them. Where the
calls that launch take longer than the kernels, the host cannot keep the device busy: fewer, larger
fusions help more than faster kernels.
"""
grain = ["trace_id", "iteration"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "iteration", "is_measured", "n_kernels",
  "launch_ns", "kernel_ns", "span_ns", "between_ns", "between_share", "bound",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
is_measured = { type = "BOOLEAN", unit = "bool", help = "The last iteration" }
n_kernels.help = "Kernels"
launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Sum of the durations of the calls that launched them; NULL: no calls were recorded" }
kernel_ns.help = "Sum of the durations of the kernels"
span_ns.help = "From the start of the first to the end of the last kernel"
between_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time of span_ns without a kernel" }
between_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "between_ns / span_ns" }
bound = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('launch', 'kernel')", help = "launch: the calls take longer than the kernels; NULL: no calls were recorded" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT
    *,
    greatest(0, ts + dur_ns - greatest(ts, coalesce(max(ts + dur_ns) OVER (
      PARTITION BY trace_id, iteration ORDER BY ts, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), ts))) AS new_ns
  FROM disc_iteration_op()
  WHERE kind = 'kernel'
),
launched AS (
  SELECT k.trace_id, k.iteration, sum(s.dur)::BIGINT AS launch_ns
  FROM kernel AS k
  JOIN link AS l ON l.to_id = k.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
  JOIN launch AS s ON s.slice_id = l.from_id
  GROUP BY k.trace_id, k.iteration
),
summed AS (
  SELECT
    any_value(run_id) AS run_id,
    trace_id,
    any_value(disc_cluster_id) AS disc_cluster_id,
    any_value(function) AS function,
    iteration,
    bool_or(is_measured) AS is_measured,
    count(*) AS n_kernels,
    sum(dur_ns)::BIGINT AS kernel_ns,
    (max(ts + dur_ns) - min(ts))::BIGINT AS span_ns,
    (max(ts + dur_ns) - min(ts) - sum(new_ns))::BIGINT AS between_ns
  FROM kernel
  GROUP BY trace_id, iteration
)
SELECT
  s.run_id,
  s.trace_id,
  s.disc_cluster_id,
  s.function,
  s.iteration,
  s.is_measured,
  s.n_kernels,
  l.launch_ns,
  s.kernel_ns,
  s.span_ns,
  s.between_ns,
  s.between_ns / nullif(s.span_ns, 0)::DOUBLE AS between_share,
  CASE WHEN l.launch_ns > s.kernel_ns THEN 'launch' WHEN l.launch_ns IS NOT NULL THEN 'kernel' END AS bound
FROM summed AS s
LEFT JOIN launched AS l ON l.trace_id = s.trace_id AND l.iteration = s.iteration
ORDER BY s.trace_id, s.iteration
