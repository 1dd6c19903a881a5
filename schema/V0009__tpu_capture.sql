-- Captures of Sophgo TPUs: what a command is and did, and every counter of its record by name.
-- tpu_command holds what all chips and engines share; the counters are in a table for each layout of
-- record, keyed by slice_id. Counters are 32-bit words of the hardware; cycles are those of its counter.

ALTER TABLE tpu_command ALTER COLUMN core DROP NOT NULL;
COMMENT ON COLUMN tpu_command.core IS '[count] core number; NULL for CDMA, whose ports belong to no core';
COMMENT ON COLUMN tpu_command.type IS '[text] command type by one name for all chips and capture modes: conv, arith, dma_tensor, ...';
COMMENT ON COLUMN tpu_command.function IS '[text] command function by one name for all chips and capture modes: add, mm2_nn, wait, ...';
COMMENT ON COLUMN tpu_command.source_name IS '[text] name as the vendor''s tool shows it, which differs by capture mode';
COMMENT ON COLUMN tpu_command.match_status IS '[text] word or image: joined to its command by number; heuristic: taken for a send or wait by its counters; none';
COMMENT ON COLUMN tpu_command.pmu_layout IS '[text] tiu, dma or cdma, and the chip where layouts differ: names the table of its counters, tpu_<layout>_counter';
COMMENT ON COLUMN tpu_command.pmu IS '[see pmu_layout] all words of the record in its order; only where words the layout reserves are not 0';
COMMENT ON COLUMN tpu_command.start_cycle IS '[cycle] raw start as the 32-bit counter showed it';
COMMENT ON COLUMN tpu_command.end_cycle IS '[cycle] raw end as the 32-bit counter showed it';

ALTER TABLE tpu_command ADD COLUMN device_id BIGINT;
COMMENT ON COLUMN tpu_command.device_id IS '[ref device.id] the core, or the port of CDMA';
ALTER TABLE tpu_command ADD COLUMN port BIGINT;
COMMENT ON COLUMN tpu_command.port IS '[count] port of CDMA; NULL for the engines of a core';
ALTER TABLE tpu_command ADD COLUMN submit_core BIGINT;
COMMENT ON COLUMN tpu_command.submit_core IS '[count] of CDMA: the core whose command stream holds the command; NULL: not found';
ALTER TABLE tpu_command ADD COLUMN record_n BIGINT;
COMMENT ON COLUMN tpu_command.record_n IS '[count] place of the record in the capture''s stream of its engine, from 0, as dumped';
ALTER TABLE tpu_command ADD COLUMN stream_n BIGINT;
COMMENT ON COLUMN tpu_command.stream_n IS '[count] place in the engine''s stream as shown, from 0: after repairs, without preamble and dropped records';
ALTER TABLE tpu_command ADD COLUMN shown_id BIGINT;
COMMENT ON COLUMN tpu_command.shown_id IS '[source id] command number as the vendor''s tool shows it: from 1';
ALTER TABLE tpu_command ADD COLUMN section BIGINT;
COMMENT ON COLUMN tpu_command.section IS '[count] which run of rising command numbers of its engine, from 0';
ALTER TABLE tpu_command ADD COLUMN mode VARCHAR;
COMMENT ON COLUMN tpu_command.mode IS '[text] how it was issued: TDI, immediate; RVT, generated; DES, by descriptor; NULL: no command is known';
ALTER TABLE tpu_command ADD COLUMN kind VARCHAR;
COMMENT ON COLUMN tpu_command.kind IS '[text] compute, transfer or sync; NULL: not known';
ALTER TABLE tpu_command ADD COLUMN type_code BIGINT;
COMMENT ON COLUMN tpu_command.type_code IS '[source id] command type in the command word or register image; NULL: no command is known';
ALTER TABLE tpu_command ADD COLUMN function_code BIGINT;
COMMENT ON COLUMN tpu_command.function_code IS '[source id] function (TIU: eu, DMA: special function; RVT of CV84X6: variant); NULL: no command is known';
ALTER TABLE tpu_command ADD COLUMN category VARCHAR;
COMMENT ON COLUMN tpu_command.category IS '[text] group of functions, as the vendor''s tool calls it';
ALTER TABLE tpu_command ADD COLUMN result_data_type VARCHAR;
COMMENT ON COLUMN tpu_command.result_data_type IS '[text] element type of the result, where a register image says';
ALTER TABLE tpu_command ADD COLUMN source_memory VARCHAR;
COMMENT ON COLUMN tpu_command.source_memory IS '[text] of a transfer: DDR, L2M or LMEM';
ALTER TABLE tpu_command ADD COLUMN destination_memory VARCHAR;
COMMENT ON COLUMN tpu_command.destination_memory IS '[text] of a transfer: DDR, L2M or LMEM';
ALTER TABLE tpu_command ADD COLUMN source_address UBIGINT;
COMMENT ON COLUMN tpu_command.source_address IS '[address] of a transfer, from its register image';
ALTER TABLE tpu_command ADD COLUMN destination_address UBIGINT;
COMMENT ON COLUMN tpu_command.destination_address IS '[address] of a transfer, from its register image';
ALTER TABLE tpu_command ADD COLUMN ddr_bytes BIGINT;
COMMENT ON COLUMN tpu_command.ddr_bytes IS '[byte] part of bytes that DDR bandwidth counts; NULL: no transfer';
ALTER TABLE tpu_command ADD COLUMN l2_bytes BIGINT;
COMMENT ON COLUMN tpu_command.l2_bytes IS '[byte] part of bytes that bandwidth of the L2 memory counts; NULL: no transfer';
ALTER TABLE tpu_command ADD COLUMN cycles BIGINT;
COMMENT ON COLUMN tpu_command.cycles IS '[cycle] end_cycle - start_cycle + 1, wraps of the counter undone';
ALTER TABLE tpu_command ADD COLUMN stall_cycles BIGINT;
COMMENT ON COLUMN tpu_command.stall_cycles IS '[cycle] waiting for memory, summed over interfaces as the chip defines it; NULL: not counted';
ALTER TABLE tpu_command ADD COLUMN n_bank_conflicts BIGINT;
COMMENT ON COLUMN tpu_command.n_bank_conflicts IS '[count] conflicts of local memory''s banks; NULL: not counted';
ALTER TABLE tpu_command ADD COLUMN n_memory_transactions BIGINT;
COMMENT ON COLUMN tpu_command.n_memory_transactions IS '[count] handshakes or requests on the memory side, as the chip defines it; NULL: not counted';
ALTER TABLE tpu_command ADD COLUMN alg_ops BIGINT;
COMMENT ON COLUMN tpu_command.alg_ops IS '[count] operations the algorithm needs; NULL: shapes are not known';
ALTER TABLE tpu_command ADD COLUMN uarch_ops BIGINT;
COMMENT ON COLUMN tpu_command.uarch_ops IS '[count] operations the hardware does, dimensions rounded up; NULL: shapes are not known';
ALTER TABLE tpu_command ADD COLUMN alg_cycles BIGINT;
COMMENT ON COLUMN tpu_command.alg_cycles IS '[cycle] the least it could take at the chip''s peak; NULL: shapes are not known';
ALTER TABLE tpu_command ADD COLUMN kernel_scope BIGINT;
COMMENT ON COLUMN tpu_command.kernel_scope IS '[source id] number of the kernel scope it ran in, over all files of the capture';
ALTER TABLE tpu_command ADD COLUMN kernel_slice_id BIGINT;
COMMENT ON COLUMN tpu_command.kernel_slice_id IS '[ref slice.id] the annotation of that scope on its core; NULL: none';
ALTER TABLE tpu_command ADD COLUMN layer_id BIGINT;
COMMENT ON COLUMN tpu_command.layer_id IS '[ref tpu_layer.id] layer of the model it belongs to; NULL: not known';
ALTER TABLE tpu_command ADD COLUMN registers_json VARCHAR;
COMMENT ON COLUMN tpu_command.registers_json IS '[json] fields of its register image by name; NULL: no image';

-- Counters of TIU records; those a chip does not have are NULL
CREATE TABLE tpu_tiu_counter (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  thread BIGINT, -- [count] hardware thread
  n_bank_conflicts BIGINT, -- [count] conflicts of local memory's banks; AKS, AKSV, CV84X6
  computation_load BIGINT, -- [count] load of the arrays, as BM1688 counts it
  n_reads BIGINT, -- [count] reads of local memory; BM1688
  n_read_stalls BIGINT, -- [cycle] stalled reads of local memory; BM1688
  n_writes BIGINT -- [count] writes of local memory; BM1688
);

-- Counters of GDMA and SDMA records of AKS, AKSV and CV84X6. axi: the side of DDR and L2; gif: the side of local memory
CREATE TABLE tpu_dma_counter (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  thread BIGINT, -- [count] hardware thread
  ar_latency_cycles BIGINT, -- [cycle] latency of read requests
  rip_valid_latency_cycles BIGINT, -- [cycle] latency until read data was valid
  gif_stall_cycles BIGINT, -- [cycle] reads and writes stalled on the side of local memory
  axi_write_bytes BIGINT, -- [byte] written to DDR or L2
  axi_n_read_requests BIGINT, -- [count] read requests to DDR or L2
  axi_n_write_requests BIGINT, -- [count] write requests to DDR or L2
  axi_write_stall_cycles BIGINT, -- [cycle] writes to DDR or L2 stalled
  axi_read_stall_cycles BIGINT, -- [cycle] reads from DDR or L2 stalled
  gif_write_bytes BIGINT, -- [byte] written to local memory
  gif_read_bytes BIGINT, -- [byte] read from local memory
  axi_n_write_beats BIGINT, -- [count] handshakes of writes to DDR or L2
  axi_n_read_beats BIGINT, -- [count] handshakes of reads from DDR or L2
  gif_n_write_beats BIGINT, -- [count] handshakes of writes to local memory
  gif_n_read_beats BIGINT -- [count] handshakes of reads from local memory
);

-- Counters of CDMA records. m0: the memory side; ati, ari: the link's sides; the last seven pairs are phases
CREATE TABLE tpu_cdma_counter (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  thread BIGINT, -- [count] channel
  m0_aw_bytes BIGINT, -- [byte] written, by write addresses
  m0_wr BIGINT, -- [count] written, by write data, as the hardware counts
  m0_ar BIGINT, -- [count] read, by read addresses, as the hardware counts
  m0_n_write_beats BIGINT, -- [count] handshakes of writes
  m0_write_stall_cycles BIGINT, -- [cycle] writes stalled
  m0_n_read_beats BIGINT, -- [count] handshakes of reads
  m0_read_stall_cycles BIGINT, -- [cycle] reads stalled
  ati_n_beats BIGINT, -- [count] handshakes of the transmit interface
  ati_stall_cycles BIGINT, -- [cycle] transmit interface stalled
  ari_n_beats BIGINT, -- [count] handshakes of the receive interface
  ari_stall_cycles BIGINT, -- [cycle] receive interface stalled
  ati_fifo_stall_cycles BIGINT, -- [cycle] transmit queue stalled
  n_replays BIGINT, -- [count] messages sent again
  b_start_cycle BIGINT, -- [cycle] raw counter at the first of write responses
  b_end_cycle BIGINT, -- [cycle] raw counter at the last of write responses
  ar_start_cycle BIGINT, -- [cycle] raw counter at the first of read addresses
  ar_end_cycle BIGINT, -- [cycle] raw counter at the last of read addresses
  aw_start_cycle BIGINT, -- [cycle] raw counter at the first of write addresses
  aw_end_cycle BIGINT, -- [cycle] raw counter at the last of write addresses
  rd_start_cycle BIGINT, -- [cycle] raw counter at the first of read data
  rd_end_cycle BIGINT, -- [cycle] raw counter at the last of read data
  wr_start_cycle BIGINT, -- [cycle] raw counter at the first of write data
  wr_end_cycle BIGINT, -- [cycle] raw counter at the last of write data
  ati_start_cycle BIGINT, -- [cycle] raw counter at the first of the transmit interface
  ati_end_cycle BIGINT, -- [cycle] raw counter at the last of the transmit interface
  ari_start_cycle BIGINT, -- [cycle] raw counter at the first of the receive interface
  ari_end_cycle BIGINT -- [cycle] raw counter at the last of the receive interface
);

-- Counters of GDMA records of BM1688, in the order of the record
CREATE TABLE tpu_dma_bm1688_counter (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  d0_aw_bytes BIGINT, -- [byte] addressed by writes to the first DDR interface
  d0_wr_bytes BIGINT, -- [byte] written to the first DDR interface
  d0_ar_bytes BIGINT, -- [byte] read from the first DDR interface
  d1_aw_bytes BIGINT, -- [byte] addressed by writes to the second DDR interface
  d1_wr_bytes BIGINT, -- [byte] written to the second DDR interface
  d1_ar_bytes BIGINT, -- [byte] read from the second DDR interface
  fmem_aw_bytes BIGINT, -- [byte] addressed by writes to local memory
  fmem_wr_bytes BIGINT, -- [byte] written to local memory
  fmem_ar_bytes BIGINT, -- [byte] read from local memory
  l2_aw_bytes BIGINT, -- [byte] addressed by writes to L2 memory
  l2_wr_bytes BIGINT, -- [byte] written to L2 memory
  l2_ar_bytes BIGINT, -- [byte] read from L2 memory
  d0_wr_valid_bytes BIGINT, -- [byte] valid in writes to the first DDR interface
  d0_rd_valid_bytes BIGINT, -- [byte] valid in reads from the first DDR interface
  d1_wr_valid_bytes BIGINT, -- [byte] valid in writes to the second DDR interface
  d1_rd_valid_bytes BIGINT, -- [byte] valid in reads from the second DDR interface
  fmem_wr_valid_bytes BIGINT, -- [byte] valid in writes to local memory
  fmem_rd_valid_bytes BIGINT, -- [byte] valid in reads from local memory
  l2_wr_valid_bytes BIGINT, -- [byte] valid in writes to L2 memory
  l2_rd_valid_bytes BIGINT, -- [byte] valid in reads from L2 memory
  d0_wr_stall_bytes BIGINT, -- [byte] stalled in writes to the first DDR interface, as the hardware counts
  d0_rd_stall_bytes BIGINT, -- [byte] stalled in reads from the first DDR interface, as the hardware counts
  d1_wr_stall_bytes BIGINT, -- [byte] stalled in writes to the second DDR interface, as the hardware counts
  d1_rd_stall_bytes BIGINT, -- [byte] stalled in reads from the second DDR interface, as the hardware counts
  fmem_wr_stall_bytes BIGINT, -- [byte] stalled in writes to local memory, as the hardware counts
  fmem_rd_stall_bytes BIGINT, -- [byte] stalled in reads from local memory, as the hardware counts
  l2_wr_stall_bytes BIGINT, -- [byte] stalled in writes to L2 memory, as the hardware counts
  l2_rd_stall_bytes BIGINT, -- [byte] stalled in reads from L2 memory, as the hardware counts
  d0_aw_end_cycle BIGINT, -- [cycle] raw counter at the last of write addresses of the first DDR interface
  d0_aw_start_cycle BIGINT, -- [cycle] raw counter at the first of write addresses of the first DDR interface
  d0_ar_end_cycle BIGINT, -- [cycle] raw counter at the last of read addresses of the first DDR interface
  d0_ar_start_cycle BIGINT, -- [cycle] raw counter at the first of read addresses of the first DDR interface
  d0_wr_end_cycle BIGINT, -- [cycle] raw counter at the last of write data of the first DDR interface
  d0_wr_start_cycle BIGINT, -- [cycle] raw counter at the first of write data of the first DDR interface
  d0_rd_end_cycle BIGINT, -- [cycle] raw counter at the last of read data of the first DDR interface
  d0_rd_start_cycle BIGINT, -- [cycle] raw counter at the first of read data of the first DDR interface
  d1_aw_end_cycle BIGINT, -- [cycle] raw counter at the last of write addresses of the second DDR interface
  d1_aw_start_cycle BIGINT, -- [cycle] raw counter at the first of write addresses of the second DDR interface
  d1_ar_end_cycle BIGINT, -- [cycle] raw counter at the last of read addresses of the second DDR interface
  d1_ar_start_cycle BIGINT, -- [cycle] raw counter at the first of read addresses of the second DDR interface
  d1_wr_end_cycle BIGINT, -- [cycle] raw counter at the last of write data of the second DDR interface
  d1_wr_start_cycle BIGINT, -- [cycle] raw counter at the first of write data of the second DDR interface
  d1_rd_end_cycle BIGINT, -- [cycle] raw counter at the last of read data of the second DDR interface
  d1_rd_start_cycle BIGINT, -- [cycle] raw counter at the first of read data of the second DDR interface
  fmem_ar_end_cycle BIGINT, -- [cycle] raw counter at the last of read addresses of local memory
  fmem_ar_start_cycle BIGINT, -- [cycle] raw counter at the first of read addresses of local memory
  fmem_wr_end_cycle BIGINT, -- [cycle] raw counter at the last of write data of local memory
  fmem_wr_start_cycle BIGINT, -- [cycle] raw counter at the first of write data of local memory
  fmem_rd_end_cycle BIGINT, -- [cycle] raw counter at the last of read data of local memory
  fmem_rd_start_cycle BIGINT, -- [cycle] raw counter at the first of read data of local memory
  l2_ar_end_cycle BIGINT, -- [cycle] raw counter at the last of read addresses of L2 memory
  l2_ar_start_cycle BIGINT, -- [cycle] raw counter at the first of read addresses of L2 memory
  l2_wr_end_cycle BIGINT, -- [cycle] raw counter at the last of write data of L2 memory
  l2_wr_start_cycle BIGINT, -- [cycle] raw counter at the first of write data of L2 memory
  l2_rd_end_cycle BIGINT, -- [cycle] raw counter at the last of read data of L2 memory
  l2_rd_start_cycle BIGINT -- [cycle] raw counter at the first of read data of L2 memory
);

-- A layer of the model a capture ran, from the compiler's side files. It owns the commands of its core
-- with numbers (tpu_command.shown_id) in its ranges; an empty range has last < first
CREATE TABLE tpu_layer (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  ordinal BIGINT NOT NULL, -- [count] its place in the model, from 1
  core BIGINT NOT NULL, -- [count] the core it was compiled for
  subnet BIGINT, -- [source id] part of the model
  file_line BIGINT, -- [count] line of final.mlir
  name VARCHAR, -- [text] name of its first result, or of its operation
  operation VARCHAR, -- [text] operation, without the dialect's prefix: Conv2D, Load, ...
  is_local BOOLEAN, -- [bool] whether its tensors are in local memory
  first_tiu_id BIGINT, -- [source id] number of its first TIU command
  last_tiu_id BIGINT, -- [source id] number of its last TIU command
  first_dma_id BIGINT, -- [source id] number of its first GDMA command
  last_dma_id BIGINT, -- [source id] number of its last GDMA command
  operands_json VARCHAR, -- [json] operands: address, layout, shape, type, ...
  results_json VARCHAR, -- [json] results: the same
  buffers_json VARCHAR -- [json] buffers: the same
);
