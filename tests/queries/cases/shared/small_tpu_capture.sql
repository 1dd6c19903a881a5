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
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_name, kernel_scope, batch, type, function, type_code, source_name, source_memory, destination_memory, direction, is_ddr, is_l2)
VALUES (1, 1, 4294967296, 'tensorLd', 'GDMA', 0, 'transfer', 'a', 0, 0, 'dma_tensor', 'copy', 0, 'tensorLd', 'DDR', 'LMEM', 'DDR->LMEM', True, False);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, stall_cycles, n_memory_transactions, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (1, 1, 1, 0, 10, 0, 0, 0, 10, 400, 2, 4, 400, 0, 0, 90);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_name, kernel_scope, batch, type, function, type_code, source_name)
VALUES (2, 1, 4294967296, 'arith.add', 'TIU', 0, 'compute', 'a', 0, 0, 'arith', 'add', 3, 'arith.add');
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, n_bank_conflicts, alg_ops, uarch_ops, alg_cycles)
VALUES (2, 1, 2, 10, 10, 0, 0, 0, 10, 3, 50, 100, 5);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_name, kernel_scope, batch, type, function, type_code, source_name)
VALUES (3, 1, 4294967296, 'wait_msg', 'TIU', 0, 'sync', 'a', 0, 0, 'sys', 'wait', 15, 'wait_msg');
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, n_bank_conflicts)
VALUES (3, 1, 3, 20, 5, 1, 1, 0, 5, 1);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_name, kernel_scope, batch, type, function, type_code, source_name, source_memory, destination_memory, direction, is_ddr, is_l2)
VALUES (4, 1, 4294967296, 'tensorSt', 'GDMA', 0, 'transfer', 'a', 0, 0, 'dma_tensor', 'copy', 0, 'tensorSt', 'LMEM', 'DDR', 'LMEM->DDR', True, False);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, stall_cycles, n_memory_transactions, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (4, 1, 4, 15, 20, 1, 1, 0, 20, 800, 4, 8, 0, 800, 800, 70);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, type, function, type_code, source_name, source_memory, destination_memory, direction, is_ddr, is_l2)
VALUES (5, 1, 4294967296, 'tensorLd', 'SDMA', 0, 'transfer', 'dma_tensor', 'copy', 0, 'tensorLd', 'L2M', 'LMEM', 'L2M->LMEM', False, True);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, stall_cycles, n_memory_transactions, gif_write_bytes, gif_read_bytes, axi_write_bytes, ar_latency_cycles)
VALUES (5, 1, 5, 30, 20, 0, 0, 0, 20, 1000, 0, 10, 1000, 0, 0, 10);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_name, kernel_scope, batch, type, function, type_code, source_name)
VALUES (6, 1, 4294967296, 'mm2.nn', 'TIU', 1, 'compute', 'a', 1, 1, 'matmul', 'mm2_nn', 2, 'mm2.nn');
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, n_bank_conflicts, alg_ops, uarch_ops, alg_cycles)
VALUES (6, 1, 6, 0, 40, 0, 0, 0, 40, 0, 300, 300, 20);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, port, kind, type, function, type_code, source_name, is_ddr, is_l2)
VALUES (7, 1, 4294967296, 'send', 'CDMA', 0, 'transfer', 'cdma_send', 'send', 0, 'send', True, False);
INSERT INTO tpu_cdma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, stall_cycles, thread, m0_aw_bytes, n_replays, m0_read_stall_cycles, ati_stall_cycles)
VALUES (7, 1, 7, 40, 20, 0, 1, 0, 20, 500, 0, 0, 500, 1, 2, 5);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, port, kind, type, function, type_code, source_name, is_ddr, is_l2)
VALUES (8, 1, 4294967296, 'receive', 'CDMA', 0, 'transfer', 'cdma_receive', 'receive', 4, 'receive', True, False);
INSERT INTO tpu_cdma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, stall_cycles, thread, m0_aw_bytes, n_replays)
VALUES (8, 1, 8, 50, 40, 1, 2, 0, 40, 2000, 0, 1, 2000, 0);
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, port, kind, type, function, type_code, source_name)
VALUES (9, 1, 4294967296, 'sys_msg_tx_wait', 'CDMA', 0, 'sync', 'sys', 'tx_wait', 7, 'sys_msg_tx_wait');
INSERT INTO tpu_cdma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, start_cycle, end_cycle, bytes, thread, m0_aw_bytes)
VALUES (9, 1, 9, 60, 10, 2, 3, 0, 10, 0, 0, 0);
