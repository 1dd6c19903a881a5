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
FROM scratch.place AS p
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
FROM scratch.lane AS l
LEFT JOIN scratch.counter_clock AS k ON k.rowid = l.clock_n - 1
ORDER BY l.track_n;

INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
SELECT
  getvariable('first_id') + p.n,
  getvariable('trace_id'),
  getvariable('first_id') + p.track_n,
  p.ts,
  p.dur,
  'tpu_command',
  m.source_name,
  coalesce(n.depth, 0),
  getvariable('first_id') + n.parent_n
FROM scratch.placed AS p
JOIN scratch.meaning AS m ON m.meaning_n = p.meaning_n
LEFT JOIN scratch.nest AS n ON n.entry_n = p.n;

INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json)
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
      CASE len(k.batches) WHEN 0 THEN NULL WHEN 1 THEN to_json(k.batches[1])
        ELSE to_json(array_to_string(k.batches, '/')) END,
      'Mode', nullif(array_to_string(k.modes, '/'), '')
    )
  )
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

-- Counters by name, in the table of their layout.
INSERT INTO tpu_tiu_counter (slice_id, trace_id, thread, n_bank_conflicts)
SELECT getvariable('first_id') + n, getvariable('trace_id'), w3 & 1, w3 >> 1
FROM scratch.placed
WHERE layout_n = 0;

INSERT INTO tpu_tiu_counter (
  slice_id, trace_id, computation_load, n_reads, n_read_stalls, n_writes
)
SELECT
  getvariable('first_id') + n, getvariable('trace_id'),
  (w2 >> 16) | (w3::BIGINT << 16), w4, w5, w6
FROM scratch.placed
WHERE layout_n = 1;

INSERT INTO tpu_dma_counter
SELECT
  getvariable('first_id') + n, getvariable('trace_id'),
  w3 & 1, w3 >> 1 & 524287, w3 >> 20, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
FROM scratch.placed
WHERE layout_n = 2;

INSERT INTO tpu_dma_bm1688_counter
SELECT
  getvariable('first_id') + n, getvariable('trace_id'),
  w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14,
  w16, w17, w18, w19, w20, w21, w22, w23,
  w24, w25, w26, w27, w28, w29, w30, w31,
  w32, w33, w34, w35, w36, w37, w38, w39,
  w40, w41, w42, w43, w44, w45, w46, w47,
  w50, w51, w52, w53, w54, w55, w58, w59, w60, w61, w62, w63
FROM scratch.dma_bm1688_record;

INSERT INTO tpu_cdma_counter
SELECT
  getvariable('first_id') + n, getvariable('trace_id'),
  w2 >> 24 & 1, w4, w5, w6, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17,
  w18, w19, w20, w21, w22, w23, w24, w25, w26, w27, w28, w29, w30, w31
FROM scratch.cdma_record;

INSERT INTO tpu_command (
  slice_id, trace_id, track_id, ts, dur, name, core, engine, command_id, raw_command_id, type,
  function, source_name, data_type, direction, bytes, start_cycle, end_cycle, kernel_name, batch,
  match_status, pmu_layout, pmu, device_id, port, submit_core, record_n, stream_n, shown_id, section,
  mode, kind, type_code, function_code, category, result_data_type, source_memory,
  destination_memory, source_address, destination_address, ddr_bytes, l2_bytes, cycles,
  stall_cycles, n_bank_conflicts, n_memory_transactions, alg_ops, uarch_ops, alg_cycles,
  kernel_scope, kernel_slice_id, layer_id, layer, registers_json
)
SELECT
  getvariable('first_id') + p.n,
  getvariable('trace_id'),
  getvariable('first_id') + p.track_n,
  p.ts,
  p.dur,
  m.source_name,
  l.core,
  CASE l.stream WHEN 0 THEN 'TIU' WHEN 1 THEN 'GDMA' WHEN 3 THEN 'SDMA' ELSE 'CDMA' END AS engine,
  p.id,
  CASE p.layout_n WHEN 1 THEN p.w2 & 65535 WHEN 3 THEN p.w2 & 1048575 WHEN 4 THEN p.w2 & 16777215
    ELSE p.w2 END AS raw_command_id,
  m.type,
  m.function,
  m.source_name,
  m.data_type,
  m.direction,
  p.bytes,
  p.start_cycle,
  p.end_cycle,
  s.name,
  p.batch,
  m.match_status,
  CASE p.layout_n WHEN 0 THEN 'tiu' WHEN 1 THEN 'tiu' WHEN 2 THEN 'dma' WHEN 3 THEN 'dma_bm1688'
    ELSE 'cdma' END AS pmu_layout,
  p.pmu,
  getvariable('first_id') + l.device_n,
  l.port,
  if(p.submit_core >= 0, p.submit_core, NULL),
  p.record_n,
  p.stream_n,
  p.id + if(l.port IS NULL, 1, 0) AS shown_id,
  p.section,
  g.mode,
  m.kind,
  m.type_code,
  m.function_code,
  m.category,
  m.result_data_type,
  m.source_memory,
  m.destination_memory,
  m.source_address,
  m.destination_address,
  CASE
    WHEN m.kind <> 'transfer' THEN NULL
    WHEN m.match_status = 'none' OR m.direction LIKE '%DDR%' THEN p.bytes
    WHEN m.match_status = 'word' AND b.chip <> 'CV84X6' THEN p.bytes
    ELSE 0
  END AS ddr_bytes,
  CASE
    WHEN m.kind <> 'transfer' THEN NULL
    WHEN m.direction LIKE '%L2M%' AND b.chip = 'CV84X6' THEN p.bytes
    WHEN m.direction LIKE '%L2M%' AND m.direction NOT LIKE '%DDR%' AND m.match_status = 'image'
      THEN p.bytes
    ELSE 0
  END AS l2_bytes,
  p.cycles,
  p.stall_cycles,
  if(p.layout_n = 0, p.w3 >> 1, NULL) AS n_bank_conflicts,
  p.n_memory_transactions,
  m.alg_ops,
  m.uarch_ops,
  m.alg_cycles,
  p.scope,
  getvariable('first_id') + b.n_commands + coalesce(i.kernel_n, e.kernel_n),
  getvariable('first_id') + y.layer_n,
  y.name,
  m.registers_json
FROM (
  SELECT
    p.*,
    CASE
      WHEN p.layout_n = 2
        THEN scratch.axi_bytes(c.name, p.w5::BIGINT, p.w10::BIGINT, p.w11::BIGINT)
      ELSE d.bytes
    END AS bytes,
    CASE
      WHEN p.layout_n = 1 THEN p.w5
      WHEN p.layout_n = 2
        THEN scratch.axi_stall_cycles(c.name, p.w4::BIGINT, p.w8::BIGINT, p.w9::BIGINT)
      ELSE d.stall_cycles
    END AS stall_cycles,
    CASE
      WHEN p.layout_n = 2
        THEN scratch.axi_transactions(
          c.name, p.w12::BIGINT, p.w13::BIGINT, p.w7::BIGINT, p.w6::BIGINT
        )
      ELSE d.n_memory_transactions
    END AS n_memory_transactions,
    CASE
      WHEN p.layout_n = 1 AND p.w7 <> 0
        THEN [p.start_cycle, p.end_cycle, p.w2, p.w3, p.w4, p.w5, p.w6, p.w7]::BIGINT[]
      WHEN d.words IS NOT NULL THEN [p.start_cycle, p.end_cycle]::BIGINT[] || d.words
    END AS pmu
  FROM scratch.placed AS p
  CROSS JOIN scratch.chip AS c
  LEFT JOIN scratch.long_measured AS d ON d.n = p.n
) AS p
JOIN scratch.meaning AS m ON m.meaning_n = p.meaning_n
JOIN scratch.lane AS l ON l.track_n = p.track_n
CROSS JOIN (
  SELECT chip, (SELECT count(*) FROM scratch.placed) AS n_commands FROM scratch.meaning_base
) AS b
LEFT JOIN scratch.kind AS g ON g.kind_n = p.kind_n
LEFT JOIN scratch.scope AS s ON s.scope = p.scope
LEFT JOIN scratch.in_kernel AS i ON i.n = p.n
LEFT JOIN scratch.kernel AS e
  ON e.scope = p.scope AND e.part IS NULL
  AND e.core IS NOT DISTINCT FROM l.core AND e.port IS NOT DISTINCT FROM l.port
LEFT JOIN scratch.in_layer AS o ON o.n = p.n
LEFT JOIN scratch.layer AS y ON y.layer_n = o.layer_n;

SET disabled_optimizers = 'statistics_propagation'; -- as on all our connections
