/* ---
name = "tpu_stall"
version = 1
title = "Stalls, latencies and bank conflicts of each TPU engine"
help = """
Of commands that compute or move data. Stall cycles are summed over interfaces as the chip counts them, so
their share may pass 1 where several stall at once. Bank conflicts are those of local memory, counted by
TIU records.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9" }

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
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Their length; overlapping ones count twice"

[[column]]
name = "stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Waiting for memory; NULL: not counted"

[[column]]
name = "stall_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "stall_cycles / cycles"

[[column]]
name = "gif_stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Of GDMA and SDMA: on the side of local memory; NULL: not counted"

[[column]]
name = "axi_read_stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Likewise: reads of DDR or L2"

[[column]]
name = "axi_write_stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Likewise: writes of DDR or L2"

[[column]]
name = "mean_read_latency_cycles"
type = "DOUBLE"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Likewise: latency of read requests, mean over commands that moved bytes"

[[column]]
name = "n_memory_transactions"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Handshakes or requests on the memory side; NULL: not counted"

[[column]]
name = "bytes_per_transaction"
type = "DOUBLE"
unit = "byte"
nullable = true
check = ">= 0"
help = "Bytes moved / these"

[[column]]
name = "n_bank_conflicts"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Of TIU; NULL: not counted"

[[column]]
name = "bank_conflict_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "n_bank_conflicts / cycles"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    c.trace_id,
    c.engine,
    c.core,
    c.port,
    count(*) AS n_commands,
    sum(c.cycles)::BIGINT AS cycles,
    sum(c.stall_cycles)::BIGINT AS stall_cycles,
    sum(n.gif_stall_cycles)::BIGINT AS gif_stall_cycles,
    sum(n.axi_read_stall_cycles)::BIGINT AS axi_read_stall_cycles,
    sum(n.axi_write_stall_cycles)::BIGINT AS axi_write_stall_cycles,
    avg(CASE WHEN c.bytes > 0 THEN n.ar_latency_cycles END) AS mean_read_latency_cycles,
    sum(c.n_memory_transactions)::BIGINT AS n_memory_transactions,
    sum(c.bytes) AS bytes,
    sum(c.n_bank_conflicts)::BIGINT AS n_bank_conflicts
  FROM tpu_command AS c
  LEFT JOIN tpu_dma_counter AS n ON n.slice_id = c.slice_id
  WHERE c.kind IS DISTINCT FROM 'sync'
  GROUP BY c.trace_id, c.engine, c.core, c.port
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.engine,
  s.core,
  s.port,
  s.n_commands,
  s.cycles,
  s.stall_cycles,
  s.stall_cycles / nullif(s.cycles, 0) AS stall_share,
  s.gif_stall_cycles,
  s.axi_read_stall_cycles,
  s.axi_write_stall_cycles,
  s.mean_read_latency_cycles,
  s.n_memory_transactions,
  s.bytes / nullif(s.n_memory_transactions, 0) AS bytes_per_transaction,
  s.n_bank_conflicts,
  s.n_bank_conflicts / nullif(s.cycles, 0) AS bank_conflict_share
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.core, s.port, s.engine
