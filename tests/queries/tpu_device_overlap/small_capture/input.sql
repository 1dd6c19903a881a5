-- Two cores and a port, small enough to be counted by hand.
-- core 0  GDMA  load 0-10, store 15-35     SDMA  copy 30-50     TIU  add 10-20, wait 20-25
-- core 1  TIU   mm2 0-40
-- port 0  send 40-60, receive 50-90, a wait 60-70
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES (1, 1, 't1', 'sophgo', 'sophgo', 1, '0', '2024-01-01', 0, 0,
  0, 90);
INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json)
VALUES (4294967296, 1, 'tpu', 0, 'AKS', '{"Core Num": 2, "DDR Max BW(GB/s/Core)": 100, "L2 Max BW(GB/s)": 200, "TIU Frequency(MHz)": 1000, "DMA Frequency(MHz)": 1000}');
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, bytes, ddr_bytes, l2_bytes, stall_cycles, n_memory_transactions, kernel_name, kernel_scope, batch, type, function, type_code, source_name, source_memory, destination_memory, direction, shown_id, stream_n, trace_id, track_id, name)
VALUES (1, 'GDMA', 0, 10, 0, 'transfer', 11, 400, 400, 0, 2, 4, 'a', 0, 0, 'dma_tensor', 'copy', 0, 'tensorLd', 'DDR', 'LMEM', 'DDR->LMEM', 1, 0, 1, 4294967296, 'tensorLd');
INSERT INTO tpu_dma_counter (slice_id, trace_id, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (1, 1, 400, 0, 0, 90);
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, n_bank_conflicts, alg_ops, uarch_ops, alg_cycles, kernel_name, kernel_scope, batch, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (2, 'TIU', 10, 10, 0, 'compute', 11, 3, 50, 100, 5, 'a', 0, 0, 'arith', 'add', 3, 'arith.add', 1, 0, 1, 4294967296, 'arith.add');
INSERT INTO tpu_tiu_counter (slice_id, trace_id, n_bank_conflicts)
VALUES (2, 1, 3);
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, n_bank_conflicts, kernel_name, kernel_scope, batch, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (3, 'TIU', 20, 5, 0, 'sync', 6, 1, 'a', 0, 0, 'sys', 'wait', 15, 'wait_msg', 2, 1, 1, 4294967296, 'wait_msg');
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, bytes, ddr_bytes, l2_bytes, stall_cycles, n_memory_transactions, kernel_name, kernel_scope, batch, type, function, type_code, source_name, source_memory, destination_memory, direction, shown_id, stream_n, trace_id, track_id, name)
VALUES (4, 'GDMA', 15, 20, 0, 'transfer', 21, 800, 800, 0, 4, 8, 'a', 0, 0, 'dma_tensor', 'copy', 0, 'tensorSt', 'LMEM', 'DDR', 'LMEM->DDR', 2, 1, 1, 4294967296, 'tensorSt');
INSERT INTO tpu_dma_counter (slice_id, trace_id, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (4, 1, 0, 800, 800, 70);
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, bytes, ddr_bytes, l2_bytes, stall_cycles, n_memory_transactions, type, function, type_code, source_name, source_memory, destination_memory, direction, shown_id, stream_n, trace_id, track_id, name)
VALUES (5, 'SDMA', 30, 20, 0, 'transfer', 21, 1000, 0, 1000, 0, 10, 'dma_tensor', 'copy', 0, 'tensorLd', 'L2M', 'LMEM', 'L2M->LMEM', 1, 0, 1, 4294967296, 'tensorLd');
INSERT INTO tpu_dma_counter (slice_id, trace_id, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (5, 1, 1000, 0, 0, 10);
INSERT INTO tpu_command (slice_id, engine, ts, dur, core, kind, cycles, n_bank_conflicts, alg_ops, uarch_ops, alg_cycles, kernel_name, kernel_scope, batch, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (6, 'TIU', 0, 40, 1, 'compute', 41, 0, 300, 300, 20, 'a', 1, 1, 'matmul', 'mm2_nn', 2, 'mm2.nn', 1, 0, 1, 4294967296, 'mm2.nn');
INSERT INTO tpu_command (slice_id, engine, ts, dur, port, kind, cycles, bytes, ddr_bytes, l2_bytes, stall_cycles, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (7, 'CDMA', 40, 20, 0, 'transfer', 21, 500, 500, 0, 0, 'cdma_send', 'send', 0, 'send', 1, 0, 1, 4294967296, 'send');
INSERT INTO tpu_cdma_counter (slice_id, trace_id, thread, m0_aw_bytes, n_replays, m0_read_stall_cycles, ati_stall_cycles)
VALUES (7, 1, 0, 500, 1, 2, 5);
INSERT INTO tpu_command (slice_id, engine, ts, dur, port, kind, cycles, bytes, ddr_bytes, l2_bytes, stall_cycles, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (8, 'CDMA', 50, 40, 0, 'transfer', 41, 2000, 2000, 0, 0, 'cdma_receive', 'receive', 4, 'receive', 2, 1, 1, 4294967296, 'receive');
INSERT INTO tpu_cdma_counter (slice_id, trace_id, thread, m0_aw_bytes, n_replays)
VALUES (8, 1, 1, 2000, 0);
INSERT INTO tpu_command (slice_id, engine, ts, dur, port, kind, cycles, bytes, type, function, type_code, source_name, shown_id, stream_n, trace_id, track_id, name)
VALUES (9, 'CDMA', 60, 10, 0, 'sync', 11, 0, 'sys', 'tx_wait', 7, 'sys_msg_tx_wait', 3, 2, 1, 4294967296, 'sys_msg_tx_wait');
INSERT INTO tpu_cdma_counter (slice_id, trace_id, thread, m0_aw_bytes)
VALUES (9, 1, 0, 0);
