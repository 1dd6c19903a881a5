-- parameters: max_slices=2
-- Three commands of core 0, two of which are shown: the longest. Kernels are no commands.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'sophgo', 'sophgo', 1, '0', '2024-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (7, 1, 'engine', 'TIU');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth)
VALUES (1, 1, 7, 0, 5, 'tpu_command', 'add', 0), (2, 1, 7, 10, 1, 'tpu_command', 'mul', 0),
  (3, 1, 7, 20, 9, 'tpu_command', 'sub', 0);
INSERT INTO tpu_operation (id, trace_id, track_id, engine, core) VALUES (1, 1, 7, 'TIU', 0);
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, stream_n)
VALUES (1, 1, 1, 0, 5, 0), (2, 1, 1, 10, 1, 1), (3, 1, 1, 20, 9, 2);
