/* ---
name = "tpu_dma_command"
version = 2
title = "The commands of a DMA engine with all fields of their registers, as the vendor's workbook lists them"
help = """
In the order of the engine's stream. Columns from cmd_id_dep on are register fields, in the vendor's order;
they are NULL where no register image was captured, but for type, function and element type, which
command words have too.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }

[param.engine]
type = "VARCHAR"
unit = "text"
default = "GDMA"
help = "GDMA, SDMA or CDMA"

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
help = "The trace; NULL: all"

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
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "engine_id"
type = "BIGINT"
unit = "source id"
help = "Number of the engine: TIU 0, GDMA 1, SDMA 3, CDMA 4"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; of CDMA the one that submitted it"

[[column]]
name = "global_index"
type = "BIGINT"
unit = "count"
nullable = true
help = "Place in the stream of its engine, from 0"

[[column]]
name = "command_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Number as the vendor's tool shows it"

[[column]]
name = "layer_id"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of its layer, from 1"

[[column]]
name = "layer"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Operation of its layer"

[[column]]
name = "function_type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type as captured"

[[column]]
name = "function_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name as captured"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Moved"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Length in cycles of its counter"

[[column]]
name = "stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Waiting for memory; NULL: not counted"

[[column]]
name = "ddr_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "Bytes that DDR bandwidth counts, a ns"

[[column]]
name = "l2_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "Bytes that bandwidth of the L2 memory counts, a ns"

[[column]]
name = "direction"
type = "VARCHAR"
unit = "text"
nullable = true
help = "From where to where; NULL: synchronisation, or not known"

[[column]]
name = "data_type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Element type"

[[column]]
name = "cmd_id_dep"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field cmd_id_dep"

[[column]]
name = "cmd_special_function"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field cmd_special_function"

[[column]]
name = "src_start_addr"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Address it reads from, hexadecimal"

[[column]]
name = "dst_start_addr"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Address it writes to, hexadecimal"

[[column]]
name = "src_nsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_nsize"

[[column]]
name = "src_csize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_csize"

[[column]]
name = "src_hsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_hsize"

[[column]]
name = "src_wsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_wsize"

[[column]]
name = "dst_nsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_nsize"

[[column]]
name = "dst_csize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_csize"

[[column]]
name = "dst_hsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_hsize"

[[column]]
name = "dst_wsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_wsize"

[[column]]
name = "src_nstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_nstride"

[[column]]
name = "src_cstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_cstride"

[[column]]
name = "src_hstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_hstride"

[[column]]
name = "src_wstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_wstride"

[[column]]
name = "dst_nstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_nstride"

[[column]]
name = "dst_cstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_cstride"

[[column]]
name = "dst_hstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_hstride"

[[column]]
name = "dst_wstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field dst_wstride"

[[column]]
name = "nchw_copy"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field nchw_copy"

[[column]]
name = "stride_enable"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field stride_enable"

[[column]]
name = "src_data_format"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field src_data_format"

[[column]]
name = "cmd_type"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field cmd_type"

[[column]]
name = "index_csize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field index_csize"

[[column]]
name = "index_hsize"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field index_hsize"

[[column]]
name = "index_cstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field index_cstride"

[[column]]
name = "index_hstride"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field index_hstride"

[[column]]
name = "mask_start_addr_h8"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field mask_start_addr_h8, hexadecimal"

[[column]]
name = "mask_start_addr_l32"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field mask_start_addr_l32, hexadecimal"

[[column]]
name = "mask_data_format"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field mask_data_format"

[[column]]
name = "localmem_mask_h32"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field localmem_mask_h32, hexadecimal"

[[column]]
name = "localmem_mask_l32"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Register field localmem_mask_l32, hexadecimal"

[[column]]
name = "fill_constant_en"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field fill_constant_en"

[[column]]
name = "constant_value"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field constant_value"

[[column]]
name = "index"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field index"

[[column]]
name = "cmd_short"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field cmd_short"

[[column]]
name = "intr_en"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field intr_en"

[changes]
2 = "the same rows, for less where there are register images"
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
  round(c.ddr_bytes / greatest(c.dur, 1), 4) AS ddr_gb_per_s,
  round(c.l2_bytes / greatest(c.dur, 1), 4) AS l2_gb_per_s,
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
