-- A core whose register images say what a command waits for (its number in brackets).
-- GDMA: 1 0-10, 2 12-30, 3 47-50 (2)     TIU: 1 13-20 (1), 2 35-45 (2), 3 46-48 (3, which the times contradict)
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'sophgo', 'sophgo', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (1, 1, 'engine', 'TIU 0'), (2, 1, 'engine', 'GDMA 0');
INSERT INTO tpu_operation (id, trace_id, track_id, name, engine, core, kind, kernel_scope) VALUES
  (1, 1, 2, 'load', 'GDMA', 0, 'transfer', 0), (2, 1, 1, 'add', 'TIU', 0, 'compute', 0);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, command_id, section, bytes) VALUES
  (1, 1, 1, 0, 10, 0, 0, 400), (2, 1, 1, 12, 18, 1, 0, 400), (3, 1, 1, 47, 3, 2, 0, 400);
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, command_id, section) VALUES
  (4, 1, 2, 13, 7, 0, 0), (5, 1, 2, 35, 10, 1, 0), (6, 1, 2, 46, 2, 2, 0);
INSERT INTO tpu_command_extra (slice_id, trace_id, registers_json) VALUES
  (1, 1, '{"cmd_id_dep": 0}'), (2, 1, '{"cmd_id_dep": 0}'), (3, 1, '{"cmd_id_dep": 2}'),
  (4, 1, '{"cmd_id_dep": 1}'), (5, 1, '{"cmd_id_dep": 2}'), (6, 1, '{"cmd_id_dep": 3}');
