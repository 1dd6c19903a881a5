/* ---
name = "tpu_traffic"
version = 2
title = "Bytes read and written by TPU transfers in each memory, from record counters"
help = """
For GDMA and SDMA of most chips the record has the bytes written to local memory, read from it, and
written outside; bytes written but not read from local memory were read outside. Outside is L2
memory if the command says so, else DDR. BM1688 counts each interface. CDMA has the bytes of its own
side: what a port sends it reads from DDR, what it receives it writes there; if the command is
unknown, the record's channel decides. Counters missing from a record count as 0.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "trace_id", "slice_id", "engine", "core", "port", "start_ns", "end_ns", "ddr_read_bytes",
  "ddr_write_bytes", "l2_read_bytes", "l2_write_bytes", "lmem_read_bytes", "lmem_write_bytes",
]

[column]
slice_id.help = "Command"
engine.help = "GDMA, SDMA or CDMA"
start_ns.help = "Start of the transfer"
end_ns.help = "End of the transfer; its start if unfinished or of duration 0"
l2_read_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes read from L2 memory" }
l2_write_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes written to L2 memory" }
lmem_read_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes read from local memory" }
lmem_write_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes written to local memory" }

[changes]
2 = "new columns for the engine and the time of each transfer"
1 = "first version"
--- */
WITH operation AS (
  SELECT
    id,
    engine,
    core,
    port,
    function,
    type_code,
    coalesce(source_memory = 'L2M', false) AS is_from_l2,
    coalesce(destination_memory = 'L2M', false) AS is_to_l2
  FROM tpu_operation
),
outside AS (
  SELECT
    n.trace_id,
    n.slice_id,
    o.engine,
    o.core,
    o.port,
    n.ts,
    n.dur,
    o.is_from_l2,
    o.is_to_l2,
    CAST(coalesce(n.axi_write_bytes, 0) AS BIGINT) AS write_bytes,
    CAST(coalesce(n.gif_read_bytes, 0) AS BIGINT) AS lmem_read_bytes,
    CAST(coalesce(n.gif_write_bytes, 0) AS BIGINT) AS lmem_write_bytes
  FROM tpu_dma_record AS n
  JOIN operation AS o ON o.id = n.operation_id
),
linked AS (
  SELECT
    n.trace_id,
    n.slice_id,
    o.engine,
    o.core,
    o.port,
    n.ts,
    n.dur,
    CAST(coalesce(n.m0_aw_bytes, 0) AS BIGINT) AS bytes,
    CASE
      WHEN o.function IN ('send', 'write', 'tcp_send') THEN 'out'
      WHEN o.function IN ('receive', 'read', 'tcp_receive') THEN 'in'
      WHEN o.type_code IS NOT NULL THEN 'both'
      WHEN n.thread = 1 THEN 'in'
      ELSE 'out'
    END AS way
  FROM tpu_cdma_record AS n
  JOIN operation AS o ON o.id = n.operation_id
)
SELECT
  trace_id,
  slice_id,
  engine,
  core,
  port,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns,
  CASE
    WHEN is_from_l2 THEN 0 ELSE greatest(lmem_write_bytes + write_bytes - lmem_read_bytes, 0)
  END AS ddr_read_bytes,
  CASE WHEN is_to_l2 THEN 0 ELSE write_bytes END AS ddr_write_bytes,
  CASE
    WHEN is_from_l2 THEN greatest(lmem_write_bytes + write_bytes - lmem_read_bytes, 0) ELSE 0
  END AS l2_read_bytes,
  CASE WHEN is_to_l2 THEN write_bytes ELSE 0 END AS l2_write_bytes,
  lmem_read_bytes,
  lmem_write_bytes
FROM outside
UNION ALL
SELECT
  n.trace_id,
  n.slice_id,
  o.engine,
  o.core,
  o.port,
  n.ts,
  n.ts + greatest(n.dur, 0),
  CAST(coalesce(n.d0_ar_bytes, 0) AS BIGINT) + coalesce(n.d1_ar_bytes, 0),
  CAST(coalesce(n.d0_wr_bytes, 0) AS BIGINT) + coalesce(n.d1_wr_bytes, 0),
  CAST(coalesce(n.l2_ar_bytes, 0) AS BIGINT),
  CAST(coalesce(n.l2_wr_bytes, 0) AS BIGINT),
  CAST(coalesce(n.fmem_ar_bytes, 0) AS BIGINT),
  CAST(coalesce(n.fmem_wr_bytes, 0) AS BIGINT)
FROM tpu_dma_bm1688_record AS n
JOIN operation AS o ON o.id = n.operation_id
UNION ALL
SELECT
  trace_id,
  slice_id,
  engine,
  core,
  port,
  ts,
  ts + greatest(dur, 0),
  CASE WHEN way IN ('out', 'both') THEN bytes ELSE 0 END,
  CASE WHEN way IN ('in', 'both') THEN bytes ELSE 0 END,
  0,
  0,
  0,
  0
FROM linked
