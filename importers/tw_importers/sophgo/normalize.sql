-- From a prepared capture to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32). Numbers ending in _n count from 0 and become ids;
-- slices are commands first, then kernels. Clock 0 is the trace's own.

-- Joins are done as they are written (join.sql).
SET disabled_optimizers = 'statistics_propagation,join_order,build_side_probe_side';

INSERT INTO device (
  id, trace_id, parent_device_id, kind, ordinal, name, vendor, memory_bytes, n_compute_units,
  clock_hz, peak_bytes_per_s, properties_json
)
SELECT
  getvariable('first_id') + p.device_n,
  getvariable('trace_id'),
  if(p.device_n > 0, getvariable('first_id'), NULL),
  p.kind,
  p.ordinal,
  CASE p.kind WHEN 'tpu' THEN c.name WHEN 'core' THEN 'Core ' || p.ordinal
    ELSE 'CDMA port ' || p.ordinal END,
  'Sophgo',
  if(p.kind = 'core', (c.lmem_mib * 1048576)::BIGINT, NULL),
  if(p.kind = 'core', c.lanes::BIGINT, NULL),
  if(p.kind = 'core', k.hz, NULL),
  CASE p.kind WHEN 'core' THEN c.ddr_gb_per_s * 1e9
    WHEN 'tpu' THEN c.ddr_gb_per_s * 1e9 * c.cores END,
  if(p.kind = 'tpu', (SELECT header_json FROM scratch.chip_header), NULL)
FROM scratch.device_number AS p
CROSS JOIN scratch.chip AS c
LEFT JOIN scratch.counter_clock AS k ON k.name = 'tpu_core_' || p.ordinal
ORDER BY p.device_n;

INSERT INTO clock (
  id, trace_id, name, frequency_hz, reference_clock_id, offset_ns, method
)
SELECT
  getvariable('first_id') + 1 + rowid,
  getvariable('trace_id'),
  name,
  hz,
  getvariable('first_id'),
  if(method IS NULL, NULL, offset_ns),
  method
FROM scratch.counter_clock
ORDER BY rowid;

INSERT INTO track (
  id, trace_id, kind, name, device_id, clock_id, stream, sort_index
)
SELECT
  getvariable('first_id') + l.track_n,
  getvariable('trace_id'),
  l.kind,
  l.name,
  getvariable('first_id') + l.device_n,
  if(k.rowid IS NULL, NULL, getvariable('first_id') + l.clock_n),
  l.stream,
  l.track_n
FROM scratch.track_number AS l
LEFT JOIN scratch.counter_clock AS k ON k.rowid = l.clock_n - 1
ORDER BY l.track_n;

INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, is_leaf)
SELECT
  getvariable('first_id') + p.n,
  getvariable('trace_id'),
  getvariable('first_id') + t.track_n,
  p.ts,
  p.dur,
  'tpu_command',
  t.source_name,
  coalesce(n.depth, 0),
  getvariable('first_id') + n.parent_n,
  CASE WHEN n.entry_n IS NULL THEN true ELSE n.is_leaf END
FROM scratch.placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
LEFT JOIN scratch.nest AS n ON n.entry_n = p.n;

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, is_leaf
)
SELECT
  getvariable('first_id') + b.n_commands + k.kernel_n,
  getvariable('trace_id'),
  getvariable('first_id') + k.track_n,
  k.ts,
  k.dur,
  'tpu_kernel',
  k.name,
  n.depth,
  getvariable('first_id') + n.parent_n,
  json_merge_patch(
    json_object('Kernel Function', k.name, 'Func Scope Id', k.scope),
    json_object(
      'Batch Launch',
      CASE coalesce(len(k.batches), 0) WHEN 0 THEN NULL WHEN 1 THEN to_json(k.batches[1])
        ELSE to_json(array_to_string(k.batches, '/')) END,
      'Mode', nullif(array_to_string(k.modes, '/'), '')
    )
  ),
  n.is_leaf
FROM scratch.kernel AS k
CROSS JOIN (SELECT count(*) AS n_commands FROM scratch.placed) AS b
JOIN scratch.nest AS n ON n.entry_n = b.n_commands + k.kernel_n
ORDER BY k.kernel_n;

INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side, domain, external_id)
SELECT
  getvariable('first_id') + b.n_commands + k.kernel_n,
  getvariable('trace_id'),
  getvariable('first_id') + k.track_n,
  k.ts,
  k.dur,
  k.name,
  'device',
  'kernel',
  k.scope
FROM scratch.kernel AS k
CROSS JOIN (SELECT count(*) AS n_commands FROM scratch.placed) AS b
ORDER BY k.kernel_n;

INSERT INTO tpu_layer
SELECT
  getvariable('first_id') + layer_n,
  getvariable('trace_id'),
  layer_n + 1,
  core,
  subnet,
  file_line,
  name,
  operation,
  is_local,
  first_tiu_id,
  last_tiu_id,
  first_dma_id,
  last_dma_id,
  operands,
  results,
  buffers
FROM scratch.layer
ORDER BY layer_n;

INSERT INTO tpu_operation (
  id, trace_id, track_id, device_id, engine, core, port, submit_core, name, mode, match_status, kind,
  type_code, function_code, type, function, category, source_name, data_type, result_data_type,
  direction, source_memory, destination_memory, is_ddr, is_l2, pmu_layout, id_lift, kernel_name,
  kernel_scope, kernel_slice_id, batch, layer_id, layer
)
SELECT
  getvariable('first_id') + o.stored_n,
  getvariable('trace_id'),
  getvariable('first_id') + o.track_n,
  getvariable('first_id') + l.device_n,
  CASE l.stream WHEN 0 THEN 'TIU' WHEN 1 THEN 'GDMA' WHEN 3 THEN 'SDMA' ELSE 'CDMA' END AS engine,
  l.core,
  l.port,
  o.submit_core,
  m.source_name,
  o.mode,
  m.match_status,
  m.kind,
  m.type_code,
  m.function_code,
  m.type,
  m.function,
  m.category,
  m.source_name,
  m.data_type,
  m.result_data_type,
  m.direction,
  m.source_memory,
  m.destination_memory,
  CASE
    WHEN m.kind = 'transfer' THEN
      coalesce(m.direction LIKE '%DDR%', true)
      OR m.match_status = 'word' AND b.chip <> 'CV84X6'
  END AS is_ddr,
  CASE
    WHEN m.kind = 'transfer' THEN
      coalesce(m.direction LIKE '%L2M%', false)
      AND (b.chip = 'CV84X6' OR m.direction NOT LIKE '%DDR%' AND m.match_status = 'image')
  END AS is_l2,
  CASE
    WHEN l.stream = 0 THEN 'tiu' WHEN l.port IS NOT NULL THEN 'cdma'
    WHEN b.chip = 'BM1688' THEN 'dma_bm1688' ELSE 'dma'
  END AS pmu_layout,
  o.id_lift,
  s.name,
  o.scope,
  getvariable('first_id') + c.n_commands + o.kernel_n,
  o.batch,
  getvariable('first_id') + y.layer_n,
  y.name
FROM scratch.stored_operation AS o
JOIN scratch.meaning AS m ON m.meaning_n = o.meaning_n
JOIN scratch.track_number AS l ON l.track_n = o.track_n
CROSS JOIN scratch.meaning_base AS b
CROSS JOIN (SELECT count(*) AS n_commands FROM scratch.placed) AS c
LEFT JOIN scratch.scope AS s ON s.scope = o.scope
LEFT JOIN scratch.layer AS y ON y.layer_n = o.layer_n
ORDER BY o.stored_n;

-- Records, in the table of their layout.
INSERT INTO tpu_tiu_record (
  slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
  section, alg_ops, uarch_ops, alg_cycles, thread, n_bank_conflicts
)
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  getvariable('first_id') + coalesce(l.stored_n, t.stored_n),
  p.ts, p.dur, p.command_id, p.start_cycle, p.end_cycle, p.record_n, p.stream_n, p.section,
  t.alg_ops, t.uarch_ops, t.alg_cycles, p.w3 & 1, p.w3 >> 1
FROM scratch.tiu_placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
LEFT JOIN scratch.located_detail AS l ON l.n = p.n;

INSERT INTO tpu_tiu_record (
  slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
  section, alg_ops, uarch_ops, alg_cycles, computation_load, n_reads, n_read_stalls, n_writes
)
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  getvariable('first_id') + coalesce(l.stored_n, t.stored_n),
  p.ts, p.dur, p.command_id, p.start_cycle, p.end_cycle, p.record_n, p.stream_n, p.section,
  t.alg_ops, t.uarch_ops, t.alg_cycles, (p.w2 >> 16) | (p.w3::BIGINT << 16), p.w4, p.w5, p.w6
FROM scratch.tiu_bm1688_placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
LEFT JOIN scratch.located_detail AS l ON l.n = p.n;

INSERT INTO tpu_dma_record
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  getvariable('first_id') + coalesce(l.stored_n, t.stored_n),
  p.ts, p.dur, p.command_id, p.start_cycle, p.end_cycle, p.record_n, p.stream_n, p.section,
  scratch.axi_bytes(c.name, p.w5::BIGINT, p.w10::BIGINT, p.w11::BIGINT),
  scratch.axi_stall_cycles(c.name, p.w4::BIGINT, p.w8::BIGINT, p.w9::BIGINT),
  scratch.axi_transactions(
    c.name, p.w12::BIGINT, p.w13::BIGINT, p.w7::BIGINT, p.w6::BIGINT
  ),
  p.w3 & 1, p.w3 >> 1 & 524287, p.w3 >> 20, p.w4, p.w5, p.w6, p.w7, p.w8, p.w9, p.w10, p.w11,
  p.w12, p.w13, p.w14, p.w15
FROM scratch.dma_placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
LEFT JOIN scratch.located_detail AS l ON l.n = p.n
CROSS JOIN scratch.chip AS c;

INSERT INTO tpu_dma_bm1688_record
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  getvariable('first_id') + coalesce(l.stored_n, t.stored_n),
  p.ts, p.dur, p.command_id, p.start_cycle, p.end_cycle, p.record_n, p.stream_n, p.section,
  d.bytes, d.stall_cycles, d.n_memory_transactions,
  w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14,
  w16, w17, w18, w19, w20, w21, w22, w23,
  w24, w25, w26, w27, w28, w29, w30, w31,
  w32, w33, w34, w35, w36, w37, w38, w39,
  w40, w41, w42, w43, w44, w45, w46, w47,
  w50, w51, w52, w53, w54, w55, w58, w59, w60, w61, w62, w63
FROM scratch.dma_bm1688_placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
JOIN scratch.long_measured AS d ON d.n = p.n
LEFT JOIN scratch.located_detail AS l ON l.n = p.n;

INSERT INTO tpu_cdma_record
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  getvariable('first_id') + coalesce(l.stored_n, t.stored_n),
  p.ts, p.dur, p.command_id, p.start_cycle, p.end_cycle, p.record_n, p.stream_n, p.section,
  d.bytes, d.stall_cycles, d.n_memory_transactions,
  w2 >> 24 & 1, w4, w5, w6, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17,
  w18, w19, w20, w21, w22, w23, w24, w25, w26, w27, w28, w29, w30, w31
FROM scratch.cdma_placed AS p
JOIN scratch.operation_detail AS t ON t.operation_n = p.operation_n
JOIN scratch.long_measured AS d ON d.n = p.n
LEFT JOIN scratch.located_detail AS l ON l.n = p.n;

-- Register images, and all words where those the layout reserves hold something.
INSERT INTO tpu_command_extra
SELECT
  getvariable('first_id') + p.n, getvariable('trace_id'),
  m.source_address, m.destination_address, i.registers_json, w.pmu
FROM scratch.placed AS p
JOIN scratch.operation_meaning AS o ON o.operation_n = p.operation_n
JOIN scratch.meaning AS m ON m.meaning_n = o.meaning_n
LEFT JOIN (
  SELECT image_n, registers_json FROM scratch.tiu_image
  UNION ALL
  SELECT image_n, registers_json FROM scratch.dma_image
  UNION ALL
  SELECT image_n, registers_json FROM scratch.cdma_image
) AS i ON i.image_n = o.image_n
LEFT JOIN (
  SELECT n, [start_cycle, end_cycle, w2, w3, w4, w5, w6, w7]::BIGINT[] AS pmu
  FROM scratch.tiu_bm1688_placed
  WHERE w7 <> 0
  UNION ALL
  SELECT n, [start_cycle, end_cycle]::BIGINT[] || words
  FROM scratch.long_measured
  WHERE words IS NOT NULL
) AS w ON w.n = p.n
WHERE i.registers_json IS NOT NULL OR w.pmu IS NOT NULL;

SET disabled_optimizers = 'statistics_propagation'; -- as on all our connections
