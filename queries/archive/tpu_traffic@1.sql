/* ---
name = "tpu_traffic"
version = 1
title = "What TPU transfers read and write in each memory, by the counters of their records"
help = """
Of GDMA and SDMA of most chips the record has bytes written to local memory, read from it, and written
outside; what was written and not read from local memory was read outside. Outside is the L2 memory
where the command says so, else DDR. BM1688 counts every interface. CDMA has bytes of its own side: what
a port sends it reads from DDR, what it receives it writes there; where the command is not known, the
record's channel tells. Transfers without counters have no row.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "ddr_read_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Read from DDR"

[[column]]
name = "ddr_write_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Written to DDR"

[[column]]
name = "l2_read_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Read from the L2 memory"

[[column]]
name = "l2_write_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Written to the L2 memory"

[[column]]
name = "lmem_read_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Read from local memory"

[[column]]
name = "lmem_write_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Written to local memory"

[changes]
1 = "first version"
--- */
WITH outside AS (
  SELECT
    n.trace_id,
    n.slice_id,
    coalesce(c.source_memory = 'L2M', false) AS is_from_l2,
    coalesce(c.destination_memory = 'L2M', false) AS is_to_l2,
    greatest(
      coalesce(n.gif_write_bytes, 0) + coalesce(n.axi_write_bytes, 0)
        - coalesce(n.gif_read_bytes, 0),
      0
    ) AS read_bytes,
    coalesce(n.axi_write_bytes, 0) AS write_bytes,
    coalesce(n.gif_read_bytes, 0) AS lmem_read_bytes,
    coalesce(n.gif_write_bytes, 0) AS lmem_write_bytes
  FROM tpu_dma_counter AS n
  JOIN tpu_command AS c ON c.slice_id = n.slice_id
),
link AS (
  SELECT
    n.trace_id,
    n.slice_id,
    coalesce(n.m0_aw_bytes, 0) AS bytes,
    CASE
      WHEN c.function IN ('send', 'write', 'tcp_send') THEN 'out'
      WHEN c.function IN ('receive', 'read', 'tcp_receive') THEN 'in'
      WHEN c.type_code IS NOT NULL THEN 'both'
      WHEN n.thread = 1 THEN 'in'
      ELSE 'out'
    END AS way
  FROM tpu_cdma_counter AS n
  JOIN tpu_command AS c ON c.slice_id = n.slice_id
)
SELECT
  trace_id,
  slice_id,
  CASE WHEN is_from_l2 THEN 0 ELSE read_bytes END AS ddr_read_bytes,
  CASE WHEN is_to_l2 THEN 0 ELSE write_bytes END AS ddr_write_bytes,
  CASE WHEN is_from_l2 THEN read_bytes ELSE 0 END AS l2_read_bytes,
  CASE WHEN is_to_l2 THEN write_bytes ELSE 0 END AS l2_write_bytes,
  lmem_read_bytes,
  lmem_write_bytes
FROM outside
UNION ALL
SELECT
  trace_id,
  slice_id,
  coalesce(d0_ar_bytes, 0) + coalesce(d1_ar_bytes, 0),
  coalesce(d0_wr_bytes, 0) + coalesce(d1_wr_bytes, 0),
  coalesce(l2_ar_bytes, 0),
  coalesce(l2_wr_bytes, 0),
  coalesce(fmem_ar_bytes, 0),
  coalesce(fmem_wr_bytes, 0)
FROM tpu_dma_bm1688_counter
UNION ALL
SELECT
  trace_id,
  slice_id,
  CASE WHEN way IN ('out', 'both') THEN bytes ELSE 0 END,
  CASE WHEN way IN ('in', 'both') THEN bytes ELSE 0 END,
  0,
  0,
  0,
  0
FROM link
