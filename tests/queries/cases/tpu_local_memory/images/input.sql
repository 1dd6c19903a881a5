-- A core with 4 lanes of 256 bytes in banks of 16: a load of 6 channels of 2 x 3 FP16 values, 12 bytes
-- each, to lane 1 at 32 (two channels in a lane); an addition of a constant to it; a wait; and a load
-- whose shape is not in its image.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES (1, 1, 't', 'sophgo', 'sophgo', 1, '0', '2024-01-01', 0, 0, 0, 90);
INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json)
VALUES (1, 1, 'tpu', 0, 'A', '{"NPU Num": 4, "Tpu Lmem Addr Width(bits)": 8, "Tpu Bank Addr Width(bits)": 4}');
INSERT INTO tpu_operation (id, trace_id, track_id, engine, core, kind, type, source_name, source_memory, destination_memory, direction)
VALUES
  (1, 1, 1, 'GDMA', 0, 'transfer', 'dma_tensor', 'tensorLd', 'DDR', 'LMEM', 'DDR->LMEM'),
  (2, 1, 1, 'TIU', 0, 'compute', 'arith', 'arith.add', NULL, NULL, NULL),
  (3, 1, 1, 'TIU', 0, 'sync', 'sys', 'wait', NULL, NULL, NULL),
  (4, 1, 1, 'GDMA', 0, 'transfer', 'dma_general', 'generalLd', 'DDR', 'LMEM', 'DDR->LMEM');
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id, bytes)
VALUES (1, 1, 1, 0, 10, 0, 0, 72), (4, 1, 4, 40, 20, 1, 1, 10);
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, stream_n, command_id)
VALUES (2, 1, 2, 10, 5, 0, 0), (3, 1, 3, 20, 5, 1, 1);
INSERT INTO tpu_command_extra (slice_id, trace_id, source_address, destination_address, registers_json)
VALUES
  (1, 1, 4096, 34084860461344, '{"src_data_format": 1, "dst_nsize": 1, "dst_csize": 6, "dst_hsize": 2, "dst_wsize": 3}'),
  (2, 1, NULL, NULL, '{"tsk_opd_num": 2, "res0_n": 1, "res0_c": 6, "res0_h": 2, "res0_w": 3, "res0_addr": 256, "opd0_addr": 288, "opd1_addr": 0, "opt_res0_prec": 2, "opt_opd0_prec": 1, "opt_opd1_prec": 1, "opt_opd1_const": 1}'),
  (3, 1, NULL, NULL, '{"imm": 5}'),
  (4, 1, 8192, 34084860461056, '{"src_data_format": 0}');
