-- Captures of Sophgo TPUs, stored by what varies. What commands have in common, which is nearly all that
-- is said of them, stands once in tpu_operation; what is their own stands in a table for each layout of
-- record, beside the record's counters. tpu_command and the tpu_<layout>_counter are views of these
-- (R__views.sql). A capture's import takes half the time so: each column of a million rows costs.

-- What commands have in common: the same operation of one engine, in one kernel, batch and layer
CREATE TABLE tpu_operation (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slices'
  device_id BIGINT, -- [ref device.id] the core, or the port of CDMA
  engine VARCHAR NOT NULL, -- [text] TIU, GDMA, SDMA, CDMA
  core BIGINT, -- [count] core number; NULL for CDMA, whose ports belong to no core
  port BIGINT, -- [count] port of CDMA; NULL for the engines of a core
  submit_core BIGINT, -- [count] of CDMA: the core whose command stream holds the command; NULL: not found
  name VARCHAR, -- [text] the slices'
  mode VARCHAR, -- [text] how it was issued: TDI, immediate; RVT, generated; DES, by descriptor; NULL: no command is known
  match_status VARCHAR, -- [text] word or image: joined to its command by number; heuristic: taken for a send or wait by its counters; none
  kind VARCHAR, -- [text] compute, transfer or sync; NULL: not known
  type_code BIGINT, -- [source id] command type in the command word or register image; NULL: no command is known
  function_code BIGINT, -- [source id] function (TIU: eu, DMA: special function; RVT of CV84X6: variant); NULL: no command is known
  type VARCHAR, -- [text] command type by one name for all chips and capture modes: conv, arith, dma_tensor, ...
  function VARCHAR, -- [text] command function by one name for all chips and capture modes: add, mm2_nn, wait, ...
  category VARCHAR, -- [text] group of functions, as the vendor's tool calls it
  source_name VARCHAR, -- [text] name as the vendor's tool shows it, which differs by capture mode
  data_type VARCHAR, -- [text] element type
  result_data_type VARCHAR, -- [text] element type of the result, where a register image says
  direction VARCHAR, -- [text] of a transfer
  source_memory VARCHAR, -- [text] of a transfer: DDR, L2M or LMEM
  destination_memory VARCHAR, -- [text] of a transfer: DDR, L2M or LMEM
  is_ddr BOOLEAN, -- [bool] whether DDR bandwidth counts its bytes; NULL: no transfer
  is_l2 BOOLEAN, -- [bool] whether bandwidth of the L2 memory counts its bytes; NULL: no transfer
  pmu_layout VARCHAR, -- [text] tiu, dma or cdma, and the chip where layouts differ: names the table of its records, tpu_<layout>_record
  id_lift BIGINT, -- [count] command_id less the number the counter showed: wraps undone
  kernel_name VARCHAR, -- [text] kernel scope it ran in
  kernel_scope BIGINT, -- [source id] number of the kernel scope it ran in, over all files of the capture
  kernel_slice_id BIGINT, -- [ref slice.id] the annotation of that scope on its core; NULL: none
  batch BIGINT, -- [count] batch number
  layer_id BIGINT, -- [ref tpu_layer.id] layer of the model it belongs to; NULL: not known
  layer VARCHAR -- [text] layer of the model
);

-- What only some commands have: a register image, words where their layout reserves them
CREATE TABLE tpu_command_extra (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  source_address UBIGINT, -- [address] of a transfer, from its register image
  destination_address UBIGINT, -- [address] of a transfer, from its register image
  registers_json VARCHAR, -- [json] fields of its register image by name; NULL: no image
  pmu BIGINT[] -- [see tpu_operation.pmu_layout] all words of the record in its order; only where words the layout reserves are not 0
);

-- A record of a TIU; counters a chip does not have are NULL
CREATE TABLE tpu_tiu_record (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  operation_id BIGINT NOT NULL, -- [ref tpu_operation.id] what it is, and where
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  command_id BIGINT, -- [source id] the engine's command number, unwrapped
  start_cycle UINTEGER, -- [cycle] raw start as the 32-bit counter showed it
  end_cycle UINTEGER, -- [cycle] raw end as the 32-bit counter showed it
  record_n INTEGER, -- [count] place of the record in the capture's stream of its engine, from 0, as dumped
  stream_n INTEGER, -- [count] place in the engine's stream as shown, from 0: after repairs, without preamble and dropped records
  section INTEGER, -- [count] which run of rising command numbers of its engine, from 0
  alg_ops BIGINT, -- [count] operations the algorithm needs; NULL: shapes are not known
  uarch_ops BIGINT, -- [count] operations the hardware does, dimensions rounded up; NULL: shapes are not known
  alg_cycles BIGINT, -- [cycle] the least it could take at the chip's peak; NULL: shapes are not known
  thread UTINYINT, -- [count] hardware thread
  n_bank_conflicts UINTEGER, -- [count] conflicts of local memory's banks; AKS, AKSV, CV84X6
  computation_load BIGINT, -- [count] load of the arrays, as BM1688 counts it
  n_reads UINTEGER, -- [count] reads of local memory; BM1688
  n_read_stalls UINTEGER, -- [cycle] stalled reads of local memory; BM1688
  n_writes UINTEGER -- [count] writes of local memory; BM1688
);

-- A record of GDMA or SDMA of AKS, AKSV and CV84X6. axi: the side of DDR and L2; gif: the side of local memory
CREATE TABLE tpu_dma_record (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  operation_id BIGINT NOT NULL, -- [ref tpu_operation.id] what it is, and where
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  command_id BIGINT, -- [source id] the engine's command number, unwrapped
  start_cycle UINTEGER, -- [cycle] raw start as the 32-bit counter showed it
  end_cycle UINTEGER, -- [cycle] raw end as the 32-bit counter showed it
  record_n INTEGER, -- [count] place of the record in the capture's stream of its engine, from 0, as dumped
  stream_n INTEGER, -- [count] place in the engine's stream as shown, from 0: after repairs, without preamble and dropped records
  section INTEGER, -- [count] which run of rising command numbers of its engine, from 0
  bytes BIGINT, -- [byte] moved
  stall_cycles BIGINT, -- [cycle] waiting for memory, summed over interfaces as the chip defines it
  n_memory_transactions BIGINT, -- [count] handshakes or requests on the memory side, as the chip defines it
  thread UTINYINT, -- [count] hardware thread
  ar_latency_cycles UINTEGER, -- [cycle] latency of read requests
  rip_valid_latency_cycles USMALLINT, -- [cycle] latency until read data was valid
  gif_stall_cycles UINTEGER, -- [cycle] reads and writes stalled on the side of local memory
  axi_write_bytes UINTEGER, -- [byte] written to DDR or L2
  axi_n_read_requests UINTEGER, -- [count] read requests to DDR or L2
  axi_n_write_requests UINTEGER, -- [count] write requests to DDR or L2
  axi_write_stall_cycles UINTEGER, -- [cycle] writes to DDR or L2 stalled
  axi_read_stall_cycles UINTEGER, -- [cycle] reads from DDR or L2 stalled
  gif_write_bytes UINTEGER, -- [byte] written to local memory
  gif_read_bytes UINTEGER, -- [byte] read from local memory
  axi_n_write_beats UINTEGER, -- [count] handshakes of writes to DDR or L2
  axi_n_read_beats UINTEGER, -- [count] handshakes of reads from DDR or L2
  gif_n_write_beats UINTEGER, -- [count] handshakes of writes to local memory
  gif_n_read_beats UINTEGER -- [count] handshakes of reads from local memory
);

-- A record of GDMA of BM1688, counters in the order of the record
CREATE TABLE tpu_dma_bm1688_record (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  operation_id BIGINT NOT NULL, -- [ref tpu_operation.id] what it is, and where
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  command_id BIGINT, -- [source id] the engine's command number, unwrapped
  start_cycle UINTEGER, -- [cycle] raw start as the 32-bit counter showed it
  end_cycle UINTEGER, -- [cycle] raw end as the 32-bit counter showed it
  record_n INTEGER, -- [count] place of the record in the capture's stream of its engine, from 0, as dumped
  stream_n INTEGER, -- [count] place in the engine's stream as shown, from 0: after repairs, without preamble and dropped records
  section INTEGER, -- [count] which run of rising command numbers of its engine, from 0
  bytes BIGINT, -- [byte] moved
  stall_cycles BIGINT, -- [cycle] waiting for memory, summed over interfaces as the chip defines it
  n_memory_transactions BIGINT, -- [count] handshakes or requests on the memory side, as the chip defines it
  d0_aw_bytes UINTEGER, -- [byte] addressed by writes to the first DDR interface
  d0_wr_bytes UINTEGER, -- [byte] written to the first DDR interface
  d0_ar_bytes UINTEGER, -- [byte] read from the first DDR interface
  d1_aw_bytes UINTEGER, -- [byte] addressed by writes to the second DDR interface
  d1_wr_bytes UINTEGER, -- [byte] written to the second DDR interface
  d1_ar_bytes UINTEGER, -- [byte] read from the second DDR interface
  fmem_aw_bytes UINTEGER, -- [byte] addressed by writes to local memory
  fmem_wr_bytes UINTEGER, -- [byte] written to local memory
  fmem_ar_bytes UINTEGER, -- [byte] read from local memory
  l2_aw_bytes UINTEGER, -- [byte] addressed by writes to L2 memory
  l2_wr_bytes UINTEGER, -- [byte] written to L2 memory
  l2_ar_bytes UINTEGER, -- [byte] read from L2 memory
  d0_wr_valid_bytes UINTEGER, -- [byte] valid in writes to the first DDR interface
  d0_rd_valid_bytes UINTEGER, -- [byte] valid in reads from the first DDR interface
  d1_wr_valid_bytes UINTEGER, -- [byte] valid in writes to the second DDR interface
  d1_rd_valid_bytes UINTEGER, -- [byte] valid in reads from the second DDR interface
  fmem_wr_valid_bytes UINTEGER, -- [byte] valid in writes to local memory
  fmem_rd_valid_bytes UINTEGER, -- [byte] valid in reads from local memory
  l2_wr_valid_bytes UINTEGER, -- [byte] valid in writes to L2 memory
  l2_rd_valid_bytes UINTEGER, -- [byte] valid in reads from L2 memory
  d0_wr_stall_bytes UINTEGER, -- [byte] stalled in writes to the first DDR interface, as the hardware counts
  d0_rd_stall_bytes UINTEGER, -- [byte] stalled in reads from the first DDR interface, as the hardware counts
  d1_wr_stall_bytes UINTEGER, -- [byte] stalled in writes to the second DDR interface, as the hardware counts
  d1_rd_stall_bytes UINTEGER, -- [byte] stalled in reads from the second DDR interface, as the hardware counts
  fmem_wr_stall_bytes UINTEGER, -- [byte] stalled in writes to local memory, as the hardware counts
  fmem_rd_stall_bytes UINTEGER, -- [byte] stalled in reads from local memory, as the hardware counts
  l2_wr_stall_bytes UINTEGER, -- [byte] stalled in writes to L2 memory, as the hardware counts
  l2_rd_stall_bytes UINTEGER, -- [byte] stalled in reads from L2 memory, as the hardware counts
  d0_aw_end_cycle UINTEGER, -- [cycle] raw counter at the last of write addresses of the first DDR interface
  d0_aw_start_cycle UINTEGER, -- [cycle] raw counter at the first of write addresses of the first DDR interface
  d0_ar_end_cycle UINTEGER, -- [cycle] raw counter at the last of read addresses of the first DDR interface
  d0_ar_start_cycle UINTEGER, -- [cycle] raw counter at the first of read addresses of the first DDR interface
  d0_wr_end_cycle UINTEGER, -- [cycle] raw counter at the last of write data of the first DDR interface
  d0_wr_start_cycle UINTEGER, -- [cycle] raw counter at the first of write data of the first DDR interface
  d0_rd_end_cycle UINTEGER, -- [cycle] raw counter at the last of read data of the first DDR interface
  d0_rd_start_cycle UINTEGER, -- [cycle] raw counter at the first of read data of the first DDR interface
  d1_aw_end_cycle UINTEGER, -- [cycle] raw counter at the last of write addresses of the second DDR interface
  d1_aw_start_cycle UINTEGER, -- [cycle] raw counter at the first of write addresses of the second DDR interface
  d1_ar_end_cycle UINTEGER, -- [cycle] raw counter at the last of read addresses of the second DDR interface
  d1_ar_start_cycle UINTEGER, -- [cycle] raw counter at the first of read addresses of the second DDR interface
  d1_wr_end_cycle UINTEGER, -- [cycle] raw counter at the last of write data of the second DDR interface
  d1_wr_start_cycle UINTEGER, -- [cycle] raw counter at the first of write data of the second DDR interface
  d1_rd_end_cycle UINTEGER, -- [cycle] raw counter at the last of read data of the second DDR interface
  d1_rd_start_cycle UINTEGER, -- [cycle] raw counter at the first of read data of the second DDR interface
  fmem_ar_end_cycle UINTEGER, -- [cycle] raw counter at the last of read addresses of local memory
  fmem_ar_start_cycle UINTEGER, -- [cycle] raw counter at the first of read addresses of local memory
  fmem_wr_end_cycle UINTEGER, -- [cycle] raw counter at the last of write data of local memory
  fmem_wr_start_cycle UINTEGER, -- [cycle] raw counter at the first of write data of local memory
  fmem_rd_end_cycle UINTEGER, -- [cycle] raw counter at the last of read data of local memory
  fmem_rd_start_cycle UINTEGER, -- [cycle] raw counter at the first of read data of local memory
  l2_ar_end_cycle UINTEGER, -- [cycle] raw counter at the last of read addresses of L2 memory
  l2_ar_start_cycle UINTEGER, -- [cycle] raw counter at the first of read addresses of L2 memory
  l2_wr_end_cycle UINTEGER, -- [cycle] raw counter at the last of write data of L2 memory
  l2_wr_start_cycle UINTEGER, -- [cycle] raw counter at the first of write data of L2 memory
  l2_rd_end_cycle UINTEGER, -- [cycle] raw counter at the last of read data of L2 memory
  l2_rd_start_cycle UINTEGER -- [cycle] raw counter at the first of read data of L2 memory
);

-- A record of CDMA. m0: the memory side; ati, ari: the link's sides; the last seven pairs are phases
CREATE TABLE tpu_cdma_record (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  operation_id BIGINT NOT NULL, -- [ref tpu_operation.id] what it is, and where
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  command_id BIGINT, -- [source id] the engine's command number, unwrapped
  start_cycle UINTEGER, -- [cycle] raw start as the 32-bit counter showed it
  end_cycle UINTEGER, -- [cycle] raw end as the 32-bit counter showed it
  record_n INTEGER, -- [count] place of the record in the capture's stream of its engine, from 0, as dumped
  stream_n INTEGER, -- [count] place in the engine's stream as shown, from 0: after repairs, without preamble and dropped records
  section INTEGER, -- [count] which run of rising command numbers of its engine, from 0
  bytes BIGINT, -- [byte] moved
  stall_cycles BIGINT, -- [cycle] waiting for memory, summed over interfaces as the chip defines it
  n_memory_transactions BIGINT, -- [count] handshakes or requests on the memory side, as the chip defines it
  thread UTINYINT, -- [count] channel
  m0_aw_bytes UINTEGER, -- [byte] written, by write addresses
  m0_wr UINTEGER, -- [count] written, by write data, as the hardware counts
  m0_ar UINTEGER, -- [count] read, by read addresses, as the hardware counts
  m0_n_write_beats UINTEGER, -- [count] handshakes of writes
  m0_write_stall_cycles UINTEGER, -- [cycle] writes stalled
  m0_n_read_beats UINTEGER, -- [count] handshakes of reads
  m0_read_stall_cycles UINTEGER, -- [cycle] reads stalled
  ati_n_beats UINTEGER, -- [count] handshakes of the transmit interface
  ati_stall_cycles UINTEGER, -- [cycle] transmit interface stalled
  ari_n_beats UINTEGER, -- [count] handshakes of the receive interface
  ari_stall_cycles UINTEGER, -- [cycle] receive interface stalled
  ati_fifo_stall_cycles UINTEGER, -- [cycle] transmit queue stalled
  n_replays UINTEGER, -- [count] messages sent again
  b_start_cycle UINTEGER, -- [cycle] raw counter at the first of write responses
  b_end_cycle UINTEGER, -- [cycle] raw counter at the last of write responses
  ar_start_cycle UINTEGER, -- [cycle] raw counter at the first of read addresses
  ar_end_cycle UINTEGER, -- [cycle] raw counter at the last of read addresses
  aw_start_cycle UINTEGER, -- [cycle] raw counter at the first of write addresses
  aw_end_cycle UINTEGER, -- [cycle] raw counter at the last of write addresses
  rd_start_cycle UINTEGER, -- [cycle] raw counter at the first of read data
  rd_end_cycle UINTEGER, -- [cycle] raw counter at the last of read data
  wr_start_cycle UINTEGER, -- [cycle] raw counter at the first of write data
  wr_end_cycle UINTEGER, -- [cycle] raw counter at the last of write data
  ati_start_cycle UINTEGER, -- [cycle] raw counter at the first of the transmit interface
  ati_end_cycle UINTEGER, -- [cycle] raw counter at the last of the transmit interface
  ari_start_cycle UINTEGER, -- [cycle] raw counter at the first of the receive interface
  ari_end_cycle UINTEGER -- [cycle] raw counter at the last of the receive interface
);

-- What earlier versions stored, which was the same with all of it beside every command.
CREATE TEMP TABLE tpu_given AS
SELECT
  *,
  CASE WHEN ddr_bytes IS NOT NULL THEN ddr_bytes = coalesce(bytes, 0) END AS is_ddr,
  CASE WHEN l2_bytes IS NOT NULL THEN l2_bytes = coalesce(bytes, 0) END AS is_l2,
  command_id - raw_command_id AS id_lift,
  coalesce(pmu_layout, CASE engine WHEN 'TIU' THEN 'tiu' WHEN 'CDMA' THEN 'cdma' ELSE 'dma' END) AS layout
FROM tpu_command;

INSERT INTO tpu_operation (
  id,
  trace_id, track_id, device_id, engine, core, port, submit_core, name, mode, match_status, kind,
  type_code, function_code, type, function, category, source_name, data_type, result_data_type,
  direction, source_memory, destination_memory, is_ddr, is_l2, pmu_layout, id_lift, kernel_name,
  kernel_scope, kernel_slice_id, batch, layer_id, layer
)
SELECT
  trace_id << 32 | row_number() OVER (PARTITION BY trace_id ORDER BY first_id) - 1,
  trace_id, track_id, device_id, engine, core, port, submit_core, name, mode, match_status, kind,
  type_code, function_code, type, function, category, source_name, data_type, result_data_type,
  direction, source_memory, destination_memory, is_ddr, is_l2, pmu_layout, id_lift, kernel_name,
  kernel_scope, kernel_slice_id, batch, layer_id, layer
FROM (
  SELECT
    trace_id, track_id, device_id, engine, core, port, submit_core, name, mode, match_status, kind,
    type_code, function_code, type, function, category, source_name, data_type, result_data_type,
    direction, source_memory, destination_memory, is_ddr, is_l2, pmu_layout, id_lift, kernel_name,
    kernel_scope, kernel_slice_id, batch, layer_id, layer,
    min(slice_id) AS first_id
  FROM tpu_given
  GROUP BY ALL
)
ORDER BY ALL;

-- IS NOT DISTINCT FROM for every column, as nearly all may be NULL.
CREATE TEMP TABLE tpu_moved AS
SELECT g.*, o.id AS operation_id
FROM tpu_given AS g
JOIN tpu_operation AS o
  ON o.trace_id = g.trace_id
  AND o.track_id = g.track_id
  AND o.device_id IS NOT DISTINCT FROM g.device_id
  AND o.engine = g.engine
  AND o.core IS NOT DISTINCT FROM g.core
  AND o.port IS NOT DISTINCT FROM g.port
  AND o.submit_core IS NOT DISTINCT FROM g.submit_core
  AND o.name IS NOT DISTINCT FROM g.name
  AND o.mode IS NOT DISTINCT FROM g.mode
  AND o.match_status IS NOT DISTINCT FROM g.match_status
  AND o.kind IS NOT DISTINCT FROM g.kind
  AND o.type_code IS NOT DISTINCT FROM g.type_code
  AND o.function_code IS NOT DISTINCT FROM g.function_code
  AND o.type IS NOT DISTINCT FROM g.type
  AND o.function IS NOT DISTINCT FROM g.function
  AND o.category IS NOT DISTINCT FROM g.category
  AND o.source_name IS NOT DISTINCT FROM g.source_name
  AND o.data_type IS NOT DISTINCT FROM g.data_type
  AND o.result_data_type IS NOT DISTINCT FROM g.result_data_type
  AND o.direction IS NOT DISTINCT FROM g.direction
  AND o.source_memory IS NOT DISTINCT FROM g.source_memory
  AND o.destination_memory IS NOT DISTINCT FROM g.destination_memory
  AND o.is_ddr IS NOT DISTINCT FROM g.is_ddr
  AND o.is_l2 IS NOT DISTINCT FROM g.is_l2
  AND o.pmu_layout IS NOT DISTINCT FROM g.pmu_layout
  AND o.id_lift IS NOT DISTINCT FROM g.id_lift
  AND o.kernel_name IS NOT DISTINCT FROM g.kernel_name
  AND o.kernel_scope IS NOT DISTINCT FROM g.kernel_scope
  AND o.kernel_slice_id IS NOT DISTINCT FROM g.kernel_slice_id
  AND o.batch IS NOT DISTINCT FROM g.batch
  AND o.layer_id IS NOT DISTINCT FROM g.layer_id
  AND o.layer IS NOT DISTINCT FROM g.layer;

INSERT INTO tpu_tiu_record
SELECT
  m.slice_id, m.trace_id, m.operation_id, m.ts, m.dur, m.command_id, m.start_cycle, m.end_cycle,
  m.record_n, m.stream_n, m.section, m.alg_ops, m.uarch_ops, m.alg_cycles, c.thread,
  c.n_bank_conflicts, c.computation_load, c.n_reads, c.n_read_stalls, c.n_writes
FROM tpu_moved AS m
LEFT JOIN tpu_tiu_counter AS c ON c.slice_id = m.slice_id
WHERE m.layout = 'tiu'
ORDER BY m.slice_id;

INSERT INTO tpu_dma_record
SELECT
  m.slice_id, m.trace_id, m.operation_id, m.ts, m.dur, m.command_id, m.start_cycle, m.end_cycle,
  m.record_n, m.stream_n, m.section, m.bytes, m.stall_cycles, m.n_memory_transactions, c.thread,
  c.ar_latency_cycles, c.rip_valid_latency_cycles, c.gif_stall_cycles, c.axi_write_bytes,
  c.axi_n_read_requests, c.axi_n_write_requests, c.axi_write_stall_cycles, c.axi_read_stall_cycles,
  c.gif_write_bytes, c.gif_read_bytes, c.axi_n_write_beats, c.axi_n_read_beats,
  c.gif_n_write_beats, c.gif_n_read_beats
FROM tpu_moved AS m
LEFT JOIN tpu_dma_counter AS c ON c.slice_id = m.slice_id
WHERE m.layout = 'dma'
ORDER BY m.slice_id;

INSERT INTO tpu_dma_bm1688_record
SELECT
  m.slice_id, m.trace_id, m.operation_id, m.ts, m.dur, m.command_id, m.start_cycle, m.end_cycle,
  m.record_n, m.stream_n, m.section, m.bytes, m.stall_cycles, m.n_memory_transactions,
  c.d0_aw_bytes, c.d0_wr_bytes, c.d0_ar_bytes, c.d1_aw_bytes, c.d1_wr_bytes, c.d1_ar_bytes,
  c.fmem_aw_bytes, c.fmem_wr_bytes, c.fmem_ar_bytes, c.l2_aw_bytes, c.l2_wr_bytes, c.l2_ar_bytes,
  c.d0_wr_valid_bytes, c.d0_rd_valid_bytes, c.d1_wr_valid_bytes, c.d1_rd_valid_bytes,
  c.fmem_wr_valid_bytes, c.fmem_rd_valid_bytes, c.l2_wr_valid_bytes, c.l2_rd_valid_bytes,
  c.d0_wr_stall_bytes, c.d0_rd_stall_bytes, c.d1_wr_stall_bytes, c.d1_rd_stall_bytes,
  c.fmem_wr_stall_bytes, c.fmem_rd_stall_bytes, c.l2_wr_stall_bytes, c.l2_rd_stall_bytes,
  c.d0_aw_end_cycle, c.d0_aw_start_cycle, c.d0_ar_end_cycle, c.d0_ar_start_cycle,
  c.d0_wr_end_cycle, c.d0_wr_start_cycle, c.d0_rd_end_cycle, c.d0_rd_start_cycle,
  c.d1_aw_end_cycle, c.d1_aw_start_cycle, c.d1_ar_end_cycle, c.d1_ar_start_cycle,
  c.d1_wr_end_cycle, c.d1_wr_start_cycle, c.d1_rd_end_cycle, c.d1_rd_start_cycle,
  c.fmem_ar_end_cycle, c.fmem_ar_start_cycle, c.fmem_wr_end_cycle, c.fmem_wr_start_cycle,
  c.fmem_rd_end_cycle, c.fmem_rd_start_cycle, c.l2_ar_end_cycle, c.l2_ar_start_cycle,
  c.l2_wr_end_cycle, c.l2_wr_start_cycle, c.l2_rd_end_cycle, c.l2_rd_start_cycle
FROM tpu_moved AS m
LEFT JOIN tpu_dma_bm1688_counter AS c ON c.slice_id = m.slice_id
WHERE m.layout = 'dma_bm1688'
ORDER BY m.slice_id;

INSERT INTO tpu_cdma_record
SELECT
  m.slice_id, m.trace_id, m.operation_id, m.ts, m.dur, m.command_id, m.start_cycle, m.end_cycle,
  m.record_n, m.stream_n, m.section, m.bytes, m.stall_cycles, m.n_memory_transactions, c.thread,
  c.m0_aw_bytes, c.m0_wr, c.m0_ar, c.m0_n_write_beats, c.m0_write_stall_cycles, c.m0_n_read_beats,
  c.m0_read_stall_cycles, c.ati_n_beats, c.ati_stall_cycles, c.ari_n_beats, c.ari_stall_cycles,
  c.ati_fifo_stall_cycles, c.n_replays, c.b_start_cycle, c.b_end_cycle, c.ar_start_cycle,
  c.ar_end_cycle, c.aw_start_cycle, c.aw_end_cycle, c.rd_start_cycle, c.rd_end_cycle,
  c.wr_start_cycle, c.wr_end_cycle, c.ati_start_cycle, c.ati_end_cycle, c.ari_start_cycle,
  c.ari_end_cycle
FROM tpu_moved AS m
LEFT JOIN tpu_cdma_counter AS c ON c.slice_id = m.slice_id
WHERE m.layout = 'cdma'
ORDER BY m.slice_id;

INSERT INTO tpu_command_extra
SELECT slice_id, trace_id, source_address, destination_address, registers_json, pmu
FROM tpu_given
WHERE source_address IS NOT NULL
  OR destination_address IS NOT NULL
  OR registers_json IS NOT NULL
  OR pmu IS NOT NULL
ORDER BY slice_id;

DROP TABLE tpu_moved;
DROP TABLE tpu_given;
DROP TABLE tpu_command;
DROP TABLE tpu_tiu_counter;
DROP TABLE tpu_dma_counter;
DROP TABLE tpu_dma_bm1688_counter;
DROP TABLE tpu_cdma_counter;
