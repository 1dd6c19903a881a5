/* ---
name = "tpu_batch_summary"
version = 1
title = "Batches of a TPU capture: how long, computing, moving, bytes and operations"
help = """
Commands before the first batch number, and captures without any, are the row without a batch.
"""
grain = ["trace_id", "batch"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "batch"
type = "BIGINT"
unit = "count"
nullable = true
help = "Batch number; NULL: none is recorded"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "First start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "Last end"

[[column]]
name = "elapsed_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From that start to that end"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands of all engines"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of TIU commands that compute"

[[column]]
name = "transfer_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of DMA commands that move data"

[[column]]
name = "sync_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of synchronisation"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Moved, all memories"

[[column]]
name = "ddr_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Of these, what DDR bandwidth counts"

[[column]]
name = "l2_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Of these, what bandwidth of the L2 memory counts"

[[column]]
name = "ddr_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "ddr_bytes over the durations of the commands that have some; NULL: none"

[[column]]
name = "alg_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations the algorithm needs; NULL: not known"

[[column]]
name = "uarch_rate"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "alg_ops / operations the hardware does; NULL: not known"

[[column]]
name = "intensity"
type = "DOUBLE"
unit = "1/byte"
nullable = true
check = ">= 0"
help = "alg_ops / ddr_bytes; NULL: not known, or no bytes"

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
