/* ---
name = "tpu_kernel_summary"
version = 1
title = "TPU kernels: count, duration, compute and transfer time, bytes and operations"
help = """
A launch is one scope of the kernel on one core or port; elapsed_ns is the time from the first start
to the last end of its commands there, summed over launches, so eight cores that run one kernel at
once count eight times. Commands outside kernels are in the row without a name. A time window
contains the commands that run in it, whole.
"""
grain = ["trace_id", "kernel_name"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "kernel_name", "n_launches", "n_cores", "elapsed_ns", "mean_ns",
  "max_ns", "n_commands", "compute_ns", "transfer_ns", "sync_ns", "bytes", "ddr_bytes", "l2_bytes",
  "ddr_bytes_per_s", "alg_ops", "uarch_rate", "intensity",
]

[column]
kernel_name.help = "Kernel; NULL: commands outside kernels, or of kernels without a recorded name"
n_launches = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernel scopes, per core or port" }
n_cores = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of cores it ran on" }
mean_ns = { nullable = true, help = "elapsed_ns / n_launches" }
max_ns = { nullable = true, help = "Longest launch" }
n_commands.help = "Number of commands of all engines"
compute_ns.help = "Sum of the durations of TIU commands that compute"
transfer_ns.help = "Sum of the durations of DMA commands that move data"
bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes moved in all memories" }

[column.elapsed_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sum of the elapsed times of the launches; NULL outside kernels"

[column.intensity]
type = "DOUBLE"
unit = "1/byte"
nullable = true
check = ">= 0"
help = "alg_ops / ddr_bytes; NULL: unknown, or no bytes"

[changes]
1 = "first version"
--- */
WITH joined AS (
  SELECT c.*, w.start_ns, w.end_ns, w.kind AS work_kind
  FROM tpu_command AS c
  JOIN tpu_work() AS w ON w.slice_id = c.slice_id
),
launch AS (
  SELECT trace_id, kernel_name, core, port, kernel_scope, max(end_ns) - min(start_ns) AS elapsed_ns
  FROM joined
  WHERE kernel_name IS NOT NULL
  GROUP BY trace_id, kernel_name, core, port, kernel_scope
),
launched AS (
  SELECT
    trace_id,
    kernel_name,
    count(*) AS n_launches,
    sum(elapsed_ns)::BIGINT AS elapsed_ns,
    max(elapsed_ns) AS max_ns
  FROM launch
  GROUP BY trace_id, kernel_name
),
summed AS (
  SELECT
    c.trace_id,
    c.kernel_name,
    count(DISTINCT c.core) AS n_cores,
    count(*) AS n_commands,
    sum(CASE WHEN c.work_kind = 'compute' THEN c.end_ns - c.start_ns ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN c.work_kind = 'transfer' THEN c.end_ns - c.start_ns ELSE 0 END)::BIGINT AS transfer_ns,
    sum(CASE WHEN c.work_kind = 'sync' THEN c.end_ns - c.start_ns ELSE 0 END)::BIGINT AS sync_ns,
    coalesce(sum(c.bytes), 0)::BIGINT AS bytes,
    coalesce(sum(c.ddr_bytes), 0)::BIGINT AS ddr_bytes,
    coalesce(sum(c.l2_bytes), 0)::BIGINT AS l2_bytes,
    sum(CASE WHEN c.ddr_bytes > 0 THEN c.end_ns - c.start_ns ELSE 0 END)::BIGINT AS ddr_ns,
    sum(CASE WHEN c.work_kind = 'compute' THEN c.alg_ops END)::BIGINT AS alg_ops,
    sum(CASE WHEN c.work_kind = 'compute' THEN c.uarch_ops END)::BIGINT AS uarch_ops
  FROM joined AS c
  GROUP BY c.trace_id, c.kernel_name
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.kernel_name,
  coalesce(l.n_launches, 0) AS n_launches,
  s.n_cores,
  l.elapsed_ns,
  l.elapsed_ns / nullif(l.n_launches, 0) AS mean_ns,
  l.max_ns,
  s.n_commands,
  s.compute_ns,
  s.transfer_ns,
  s.sync_ns,
  s.bytes,
  s.ddr_bytes,
  s.l2_bytes,
  s.ddr_bytes * 1e9 / nullif(s.ddr_ns, 0) AS ddr_bytes_per_s,
  s.alg_ops,
  s.alg_ops / nullif(s.uarch_ops, 0) AS uarch_rate,
  s.alg_ops / nullif(s.ddr_bytes, 0) AS intensity
FROM summed AS s
LEFT JOIN launched AS l ON l.trace_id = s.trace_id AND l.kernel_name = s.kernel_name
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, l.elapsed_ns DESC NULLS LAST, s.kernel_name
