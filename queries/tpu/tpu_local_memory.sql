/* ---
name = "tpu_local_memory"
version = 1
title = "Accesses to the local memory of TPU cores: time, address and size, from register images"
help = """
A row for each tensor that a command reads from local memory or writes there. Only commands with a
register image have addresses; captures of command words have no rows. Channels of a tensor are
distributed over lanes, from first_lane on, so the range from address to end_address is that of the
lane with most channels. Strides and alignment are not taken into account. Operands of TIU commands
are included where the image has their shape; elementwise arithmetic has that of its result. A
transfer whose shape is not in its image is taken to use all lanes equally. A time window contains the
commands that run in it, whole.
"""
grain = ["slice_id", "tensor"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "slice_id", "engine", "name", "tensor", "access",
  "start_ns", "end_ns", "address", "end_address", "bank", "first_lane", "n_lanes", "bytes",
  "bytes_per_lane", "lane_bytes",
]

[column]
core.help = "Core; for CDMA the one that submitted the command"
slice_id.help = "Command"
name.help = "Name of the command, with its direction if it is a transfer"
tensor = { type = "VARCHAR", unit = "text", help = "Operand 0, operand 1 or result of a TIU command; source or destination of a transfer" }
access = { type = "VARCHAR", unit = "text", help = "read or write" }
start_ns.help = "Start of the command, on the time axis of slice.ts"
end_ns.help = "End of the command"
address = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Start in a lane" }
end_address = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "End in a lane, exclusive; NULL: size unknown" }
bank = { type = "BIGINT", unit = "count", check = ">= 0", help = "Bank of address" }
first_lane = { type = "BIGINT", unit = "count", check = ">= 0", help = "Lane of the first channel" }
n_lanes = { type = "BIGINT", unit = "count", nullable = true, check = ">= 1", help = "Number of lanes used; NULL: shape unknown" }
bytes.help = "Size of the tensor; of a transfer without a shape, the bytes moved; NULL: unknown"
bytes_per_lane = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Bytes in the lane with most channels; NULL: unknown" }
lane_bytes = { type = "BIGINT", unit = "byte", check = ">= 1", help = "Size of the memory of a lane" }

[changes]
1 = "first version"
--- */
WITH chip AS (
  SELECT
    trace_id,
    (properties_json::JSON ->> '$."NPU Num"')::BIGINT AS n_lanes,
    1::BIGINT << (properties_json::JSON ->> '$."Tpu Lmem Addr Width(bits)"')::BIGINT AS lane_bytes,
    1::BIGINT << (properties_json::JSON ->> '$."Tpu Bank Addr Width(bits)"')::BIGINT AS bank_bytes
  FROM device
  WHERE kind = 'tpu'
),
image AS (
  SELECT
    c.trace_id,
    coalesce(c.core, c.submit_core) AS core,
    c.slice_id,
    c.engine,
    concat_ws(' ', c.source_name, c.direction) AS name,
    c.type,
    c.stream_n,
    c.ts AS start_ns,
    c.ts + greatest(c.dur, 0) AS end_ns,
    c.bytes AS moved_bytes,
    c.source_memory,
    c.destination_memory,
    x.source_address::BIGINT AS source_address,
    x.destination_address::BIGINT AS destination_address,
    from_json(
      x.registers_json,
      '{"res0_addr":"BIGINT","res0_n":"BIGINT","res0_c":"BIGINT","res0_h":"BIGINT","res0_w":"BIGINT",'
      || '"opd0_addr":"BIGINT","opd0_n":"BIGINT","opd0_c":"BIGINT","opd0_h":"BIGINT","opd0_w":"BIGINT",'
      || '"opd1_addr":"BIGINT","opd1_n":"BIGINT","opd1_c":"BIGINT","opd1_h":"BIGINT","opd1_w":"BIGINT",'
      || '"opt_res0_prec":"BIGINT","opt_opd0_prec":"BIGINT","opt_opd1_prec":"BIGINT",'
      || '"opt_opd0_const":"BIGINT","opt_opd1_const":"BIGINT","tsk_opd_num":"BIGINT",'
      || '"src_nsize":"BIGINT","src_csize":"BIGINT","src_hsize":"BIGINT","src_wsize":"BIGINT",'
      || '"dst_nsize":"BIGINT","dst_csize":"BIGINT","dst_hsize":"BIGINT","dst_wsize":"BIGINT",'
      || '"src_data_format":"BIGINT"}'
    ) AS r
  FROM tpu_command AS c
  JOIN tpu_command_extra AS x ON x.slice_id = c.slice_id
  WHERE c.kind IS DISTINCT FROM 'sync' AND x.registers_json IS NOT NULL
),
-- Operands of elementwise arithmetic have the shape of the result, unless the image has their own.
command AS (
  SELECT
    *,
    CASE WHEN type = 'arith' THEN r.res0_n END AS common_n,
    CASE WHEN type = 'arith' THEN r.res0_c END AS common_c,
    CASE WHEN type = 'arith' THEN r.res0_h END AS common_h,
    CASE WHEN type = 'arith' THEN r.res0_w END AS common_w
  FROM image
),
tensor AS (
  SELECT
    *,
    'result' AS tensor,
    'write' AS access,
    r.res0_addr AS place,
    r.res0_n AS n,
    r.res0_c AS c,
    r.res0_h AS h,
    r.res0_w AS w,
    r.opt_res0_prec AS precision
  FROM command
  WHERE engine = 'TIU' AND r.res0_addr IS NOT NULL
  UNION ALL
  SELECT
    *,
    'operand 0' AS tensor,
    'read' AS access,
    r.opd0_addr AS place,
    coalesce(r.opd0_n, common_n) AS n,
    coalesce(r.opd0_c, common_c) AS c,
    coalesce(r.opd0_h, common_h) AS h,
    coalesce(r.opd0_w, common_w) AS w,
    r.opt_opd0_prec AS precision
  FROM command
  WHERE
    engine = 'TIU'
    AND r.opd0_addr IS NOT NULL
    AND coalesce(r.opt_opd0_const, 0) = 0
    AND (r.opd0_c > 0 OR type = 'arith')
  UNION ALL
  SELECT
    *,
    'operand 1' AS tensor,
    'read' AS access,
    r.opd1_addr AS place,
    coalesce(r.opd1_n, common_n) AS n,
    coalesce(r.opd1_c, common_c) AS c,
    coalesce(r.opd1_h, common_h) AS h,
    coalesce(r.opd1_w, common_w) AS w,
    coalesce(r.opt_opd1_prec, r.opt_opd0_prec) AS precision
  FROM command
  WHERE
    engine = 'TIU'
    AND r.opd1_addr IS NOT NULL
    AND coalesce(r.opt_opd1_const, 0) = 0
    AND (r.opd1_c > 0 OR (type = 'arith' AND coalesce(r.tsk_opd_num, 2) >= 2))
  UNION ALL
  SELECT
    *,
    'source' AS tensor,
    'read' AS access,
    source_address AS place,
    r.src_nsize AS n,
    r.src_csize AS c,
    r.src_hsize AS h,
    r.src_wsize AS w,
    r.src_data_format AS precision
  FROM command
  WHERE engine <> 'TIU' AND source_memory = 'LMEM'
  UNION ALL
  SELECT
    *,
    'destination' AS tensor,
    'write' AS access,
    destination_address AS place,
    r.dst_nsize AS n,
    r.dst_csize AS c,
    r.dst_hsize AS h,
    r.dst_wsize AS w,
    r.src_data_format AS precision
  FROM command
  WHERE engine <> 'TIU' AND destination_memory = 'LMEM'
),
-- An absent dimension is 1. Only tensor transfers have their shape in these fields.
shaped AS (
  SELECT
    t.*,
    m.lane_bytes,
    m.bank_bytes,
    m.n_lanes AS lanes,
    CASE
      WHEN t.engine <> 'TIU' AND t.type <> 'dma_tensor' THEN NULL
      WHEN t.c > 0 OR t.w > 0 THEN least(coalesce(nullif(t.c, 0), m.n_lanes), m.n_lanes)
    END AS used_lanes,
    coalesce(nullif(t.n, 0), 1) * coalesce(nullif(t.h, 0), 1) * coalesce(nullif(t.w, 0), 1)
    * [8, 16, 32, 16, 32, 16, 4, 8, NULL, 32][t.precision + 1] AS bits_of_channel
  FROM tensor AS t
  JOIN chip AS m ON m.trace_id = t.trace_id
),
sized AS (
  SELECT
    *,
    CASE
      WHEN used_lanes IS NOT NULL THEN (coalesce(nullif(c, 0), 1) * bits_of_channel + 7) // 8
      WHEN engine <> 'TIU' THEN moved_bytes
    END AS bytes,
    CASE
      WHEN used_lanes IS NOT NULL
        THEN ((coalesce(nullif(c, 0), 1) + lanes - 1) // lanes * bits_of_channel + 7) // 8
      WHEN engine <> 'TIU' THEN (moved_bytes + lanes - 1) // lanes
    END AS bytes_per_lane
  FROM shaped
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.core,
  s.slice_id,
  s.engine,
  s.name,
  s.tensor,
  s.access,
  s.start_ns,
  s.end_ns,
  s.place % s.lane_bytes AS address,
  s.place % s.lane_bytes + s.bytes_per_lane AS end_address,
  s.place % s.lane_bytes // s.bank_bytes AS bank,
  s.place // s.lane_bytes % s.lanes AS first_lane,
  coalesce(s.used_lanes, CASE WHEN s.engine <> 'TIU' THEN s.lanes END) AS n_lanes,
  s.bytes,
  s.bytes_per_lane,
  s.lane_bytes
FROM sized AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.core, s.start_ns, s.engine, s.stream_n, s.slice_id, s.tensor
