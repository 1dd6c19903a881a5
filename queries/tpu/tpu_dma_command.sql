/* ---
name = "tpu_dma_command"
version = 3
title = "DMA engine commands with all register fields, as in the vendor's workbook"
help = """
In the order of the engine's stream. Columns from cmd_id_dep on are register fields in the vendor's
order; they are NULL if no register image was captured, except type, function and element type,
which command words also have. A time window contains the commands that run in it, whole.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "engine_id", "core", "global_index", "command_id",
  "layer_id", "layer", "function_type", "function_name", "bytes", "start_ns", "end_ns", "cycles",
  "stall_cycles", "ddr_gb_per_s", "l2_gb_per_s", "direction", "data_type", "cmd_id_dep",
  "cmd_special_function", "src_start_addr", "dst_start_addr", "src_nsize", "src_csize", "src_hsize",
  "src_wsize", "dst_nsize", "dst_csize", "dst_hsize", "dst_wsize", "src_nstride", "src_cstride",
  "src_hstride", "src_wstride", "dst_nstride", "dst_cstride", "dst_hstride", "dst_wstride",
  "nchw_copy", "stride_enable", "src_data_format", "cmd_type", "index_csize", "index_hsize",
  "index_cstride", "index_hstride", "mask_start_addr_h8", "mask_start_addr_l32", "mask_data_format",
  "localmem_mask_h32", "localmem_mask_l32", "fill_constant_en", "constant_value", "index",
  "cmd_short", "intr_en",
]

[param.engine]
type = "VARCHAR"
unit = "text"
default = "GDMA"
help = "Engine: GDMA, SDMA or CDMA"

[param.place]
type = "BIGINT"
unit = "count"
nullable = true
min = 0
help = "Core, or port of CDMA; NULL: all"

[param.trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace; NULL: all"

[column]
slice_id.help = "Command"
core.help = "Core; for CDMA the one that submitted the command"
bytes.help = "Bytes moved"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End"
cycles = { type = "BIGINT", unit = "cycle", nullable = true, help = "Duration in cycles of the engine's counter" }
ddr_gb_per_s = { type = "DOUBLE", unit = "GB/s", nullable = true, help = "Bytes that count for DDR bandwidth, per ns" }
direction.help = "Source and destination of the transfer; NULL: synchronization, or unknown"
data_type.help = "Element type"
cmd_id_dep = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field cmd_id_dep" }
src_start_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Source address, hexadecimal" }
dst_start_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Destination address, hexadecimal" }
src_nsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_nsize" }
src_csize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_csize" }
src_hsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_hsize" }
src_wsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_wsize" }
dst_nsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_nsize" }
dst_csize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_csize" }
dst_hsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_hsize" }
dst_wsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_wsize" }
src_nstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_nstride" }
src_cstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_cstride" }
src_hstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_hstride" }
src_wstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_wstride" }
dst_nstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_nstride" }
dst_cstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_cstride" }
dst_hstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_hstride" }
dst_wstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field dst_wstride" }
nchw_copy = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field nchw_copy" }
stride_enable = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field stride_enable" }
src_data_format = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field src_data_format" }
cmd_type = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field cmd_type" }
index_csize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field index_csize" }
index_hsize = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field index_hsize" }
index_cstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field index_cstride" }
index_hstride = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field index_hstride" }
mask_data_format = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field mask_data_format" }
fill_constant_en = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field fill_constant_en" }
constant_value = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field constant_value" }
index = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field index" }
cmd_short = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field cmd_short" }
intr_en = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field intr_en" }

[column.stall_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Cycles spent waiting for memory; NULL: not counted"

[column.l2_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "Bytes that count for L2 memory bandwidth, per ns"

[column.cmd_special_function]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field cmd_special_function"

[column.mask_start_addr_h8]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field mask_start_addr_h8, hexadecimal"

[column.mask_start_addr_l32]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field mask_start_addr_l32, hexadecimal"

[column.localmem_mask_h32]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field localmem_mask_h32, hexadecimal"

[column.localmem_mask_l32]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field localmem_mask_l32, hexadecimal"

[changes]
3 = "rates are rounded like the vendor's: by the exact value of the quotient, ties to the even digit"
2 = "same rows, faster with register images"
1 = "first version"
--- */
WITH chosen AS (
  SELECT
    *,
    ts + greatest(dur, 0) AS end_ns
  FROM tpu_command
  WHERE
    engine = $engine::VARCHAR
    AND ($place::BIGINT IS NULL OR coalesce(core, port) = $place::BIGINT)
    AND ($trace_id::BIGINT IS NULL OR trace_id = $trace_id::BIGINT)
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.slice_id,
  CASE c.engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 WHEN 'SDMA' THEN 3 ELSE 4 END::BIGINT AS engine_id,
  coalesce(c.core, c.submit_core) AS core,
  c.stream_n AS global_index,
  c.shown_id AS command_id,
  y.ordinal AS layer_id,
  y.operation AS layer,
  c.category AS function_type,
  c.source_name AS function_name,
  c.bytes,
  c.ts AS start_ns,
  c.end_ns,
  c.cycles,
  c.stall_cycles,
  printf('%.4f', c.ddr_bytes / greatest(c.dur, 1))::DOUBLE AS ddr_gb_per_s,
  printf('%.4f', c.l2_bytes / greatest(c.dur, 1))::DOUBLE AS l2_gb_per_s,
  c.direction,
  c.data_type,
  c.r.cmd_id_dep AS cmd_id_dep,
  coalesce(c.r.cmd_special_function, c.function_code) AS cmd_special_function,
  '0x' || lower(to_hex(c.from_address)) AS src_start_addr,
  '0x' || lower(to_hex(c.to_address)) AS dst_start_addr,
  c.r.src_nsize AS src_nsize,
  c.r.src_csize AS src_csize,
  c.r.src_hsize AS src_hsize,
  c.r.src_wsize AS src_wsize,
  c.r.dst_nsize AS dst_nsize,
  c.r.dst_csize AS dst_csize,
  c.r.dst_hsize AS dst_hsize,
  c.r.dst_wsize AS dst_wsize,
  c.r.src_nstride AS src_nstride,
  c.r.src_cstride AS src_cstride,
  c.r.src_hstride AS src_hstride,
  c.r.src_wstride AS src_wstride,
  c.r.dst_nstride AS dst_nstride,
  c.r.dst_cstride AS dst_cstride,
  c.r.dst_hstride AS dst_hstride,
  c.r.dst_wstride AS dst_wstride,
  c.r.nchw_copy AS nchw_copy,
  c.r.stride_enable AS stride_enable,
  CASE
    WHEN c.image_json IS NOT NULL THEN c.r.src_data_format
    WHEN c.data_type IS NOT NULL
      THEN list_position(['INT8', 'FP16', 'FP32', 'INT16', 'INT32', 'BFP16', 'INT4', 'FP8', 'FP20', 'TF32'], c.data_type) - 1
  END::BIGINT AS src_data_format,
  coalesce(c.r.cmd_type, c.type_code) AS cmd_type,
  c.r.index_csize AS index_csize,
  c.r.index_hsize AS index_hsize,
  c.r.index_cstride AS index_cstride,
  c.r.index_hstride AS index_hstride,
  '0x' || lower(to_hex(c.r.mask_start_addr_h8)) AS mask_start_addr_h8,
  '0x' || lower(to_hex(c.r.mask_start_addr_l32)) AS mask_start_addr_l32,
  c.r.mask_data_format AS mask_data_format,
  '0x' || lower(to_hex(c.r.localmem_mask_h32)) AS localmem_mask_h32,
  '0x' || lower(to_hex(c.r.localmem_mask_l32)) AS localmem_mask_l32,
  c.r.fill_constant_en AS fill_constant_en,
  c.r.constant_value AS constant_value,
  c.r."index" AS "index",
  c.r.cmd_short AS cmd_short,
  c.r.intr_en AS intr_en
FROM (
  SELECT
    h.*,
    x.registers_json AS image_json,
    x.source_address AS from_address,
    x.destination_address AS to_address,
    from_json(
      x.registers_json,
      '{"cmd_id_dep":"BIGINT","cmd_special_function":"BIGINT","src_nsize":"BIGINT",'
      || '"src_csize":"BIGINT","src_hsize":"BIGINT","src_wsize":"BIGINT","dst_nsize":"BIGINT",'
      || '"dst_csize":"BIGINT","dst_hsize":"BIGINT","dst_wsize":"BIGINT","src_nstride":"BIGINT",'
      || '"src_cstride":"BIGINT","src_hstride":"BIGINT","src_wstride":"BIGINT",'
      || '"dst_nstride":"BIGINT","dst_cstride":"BIGINT","dst_hstride":"BIGINT",'
      || '"dst_wstride":"BIGINT","nchw_copy":"BIGINT","stride_enable":"BIGINT",'
      || '"src_data_format":"BIGINT","cmd_type":"BIGINT","index_csize":"BIGINT",'
      || '"index_hsize":"BIGINT","index_cstride":"BIGINT","index_hstride":"BIGINT",'
      || '"mask_start_addr_h8":"BIGINT","mask_start_addr_l32":"BIGINT","mask_data_format":"BIGINT",'
      || '"localmem_mask_h32":"BIGINT","localmem_mask_l32":"BIGINT","fill_constant_en":"BIGINT",'
      || '"constant_value":"BIGINT","index":"BIGINT","cmd_short":"BIGINT","intr_en":"BIGINT"}'
    ) AS r
  FROM chosen AS h
  LEFT JOIN tpu_command_extra AS x ON x.slice_id = h.slice_id
) AS c
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN tpu_layer AS y ON y.id = c.layer_id
ORDER BY t.run_id, t.rank, c.trace_id, coalesce(c.core, c.port), c.stream_n, c.slice_id
