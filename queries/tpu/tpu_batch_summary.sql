/* ---
name = "tpu_batch_summary"
version = 1
title = "Batches of a TPU capture: duration, compute and transfer time, bytes and operations"
help = """
Commands before the first batch number, and captures without batches, are in the row without a
batch. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "batch"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "batch", "start_ns", "end_ns", "elapsed_ns", "n_commands",
  "compute_ns", "transfer_ns", "sync_ns", "bytes", "ddr_bytes", "l2_bytes", "ddr_bytes_per_s",
  "alg_ops", "uarch_rate", "intensity",
]

[column]
batch = { type = "BIGINT", unit = "count", nullable = true, help = "Batch number; NULL: not recorded" }
start_ns.help = "First start, on the time axis of slice.ts"
end_ns.help = "Last end"
elapsed_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time from start_ns to end_ns" }
n_commands.help = "Number of commands of all engines"
compute_ns.help = "Sum of the durations of TIU commands that compute"
transfer_ns.help = "Sum of the durations of DMA commands that move data"
bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes moved in all memories" }

[column.intensity]
type = "DOUBLE"
unit = "1/byte"
nullable = true
check = ">= 0"
help = "alg_ops / ddr_bytes; NULL: unknown, or no bytes"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    c.trace_id,
    c.batch,
    min(w.start_ns) AS start_ns,
    max(w.end_ns) AS end_ns,
    count(*) AS n_commands,
    sum(CASE WHEN w.kind = 'compute' THEN w.end_ns - w.start_ns ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN w.kind = 'transfer' THEN w.end_ns - w.start_ns ELSE 0 END)::BIGINT AS transfer_ns,
    sum(CASE WHEN w.kind = 'sync' THEN w.end_ns - w.start_ns ELSE 0 END)::BIGINT AS sync_ns,
    coalesce(sum(c.bytes), 0)::BIGINT AS bytes,
    coalesce(sum(c.ddr_bytes), 0)::BIGINT AS ddr_bytes,
    coalesce(sum(c.l2_bytes), 0)::BIGINT AS l2_bytes,
    sum(CASE WHEN c.ddr_bytes > 0 THEN w.end_ns - w.start_ns ELSE 0 END)::BIGINT AS ddr_ns,
    sum(CASE WHEN w.kind = 'compute' THEN c.alg_ops END)::BIGINT AS alg_ops,
    sum(CASE WHEN w.kind = 'compute' THEN c.uarch_ops END)::BIGINT AS uarch_ops
  FROM tpu_command AS c
  JOIN tpu_work() AS w ON w.slice_id = c.slice_id
  GROUP BY c.trace_id, c.batch
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.batch,
  s.start_ns,
  s.end_ns,
  s.end_ns - s.start_ns AS elapsed_ns,
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
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.batch
