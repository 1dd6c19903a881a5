/* ---
name = "tpu_stall"
version = 1
title = "Stalls, latencies and bank conflicts per TPU engine"
help = """
Covers commands that compute or move data. Stall cycles are summed over interfaces as the chip
counts them, so their share may exceed 1 if several stall at once. Bank conflicts are those of local
memory, counted by TIU records. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "n_commands", "cycles", "stall_cycles",
  "stall_share", "gif_stall_cycles", "axi_read_stall_cycles", "axi_write_stall_cycles",
  "mean_read_latency_cycles", "n_memory_transactions", "bytes_per_transaction", "n_bank_conflicts",
  "bank_conflict_share",
]

[column]
cycles.help = "Sum of the cycles; overlapping commands count twice"
stall_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "stall_cycles / cycles" }

[column.gif_stall_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Stall cycles of GDMA and SDMA on the side of local memory; NULL: not counted"

[column.axi_read_stall_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Stall cycles of reads of DDR or L2; NULL: not counted"

[column.axi_write_stall_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Stall cycles of writes of DDR or L2; NULL: not counted"

[column.mean_read_latency_cycles]
type = "DOUBLE"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Mean latency of read requests over commands that moved bytes; NULL: not counted"

[column.n_memory_transactions]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Number of handshakes or requests on the memory side; NULL: not counted"

[column.bytes_per_transaction]
type = "DOUBLE"
unit = "byte"
nullable = true
check = ">= 0"
help = "Bytes moved / n_memory_transactions"

[column.n_bank_conflicts]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Bank conflicts of local memory, counted by the TIU; NULL: not counted"

[column.bank_conflict_share]
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
