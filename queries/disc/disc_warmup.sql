/* ---
name = "disc_warmup"
version = 1
title = "How replays warm up: kernel time of each iteration against the measured one"
help = """
Loading of modules and choice of library kernels make first iterations slower. A replay has warmed
up from the first iteration on, from which none differs from the measured one by more than the
tolerance; if that is the measured one itself, use more iterations (--warmup).
"""
grain = ["trace_id", "iteration"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "iteration", "is_measured", "kernel_ns",
  "excess_ns", "excess_ratio", "is_warm",
]

[param.tolerance]
type = "DOUBLE"
unit = "ratio"
default = 0.01
min = 0
help = "Greatest difference from the measured iteration"

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that was replayed" }
function.help = "Name of the cluster's function"
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
is_measured = { type = "BOOLEAN", unit = "bool", help = "The last iteration" }
kernel_ns.help = "Sum of the durations of the kernels"
excess_ns = { type = "BIGINT", unit = "ns", help = "kernel_ns less that of the measured iteration" }
excess_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "excess_ns / kernel_ns of the measured iteration; NULL: it has no kernel" }
is_warm = { type = "BOOLEAN", unit = "bool", help = "From this iteration on, none differs by more than the tolerance" }

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    any_value(run_id) AS run_id,
    trace_id,
    any_value(disc_cluster_id) AS disc_cluster_id,
    any_value(function) AS function,
    iteration,
    bool_or(is_measured) AS is_measured,
    coalesce(sum(dur_ns) FILTER (kind = 'kernel'), 0)::BIGINT AS kernel_ns
  FROM disc_iteration_op()
  GROUP BY trace_id, iteration
),
compared AS (
  SELECT
    s.*,
    s.kernel_ns - m.kernel_ns AS excess_ns,
    (s.kernel_ns - m.kernel_ns) / nullif(m.kernel_ns, 0)::DOUBLE AS excess_ratio
  FROM summed AS s
  JOIN summed AS m ON m.trace_id = s.trace_id AND m.is_measured
)
SELECT
  run_id,
  trace_id,
  disc_cluster_id,
  function,
  iteration,
  is_measured,
  kernel_ns,
  excess_ns,
  excess_ratio,
  bool_and(abs(coalesce(excess_ratio, 0)) <= $tolerance::DOUBLE) OVER (
    PARTITION BY trace_id ORDER BY iteration ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
  ) AS is_warm
FROM compared
ORDER BY trace_id, iteration
