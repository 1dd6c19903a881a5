-- Two sessions end at one time: an operator that ends after them is in the third.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'f', 'i', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 9, 0, 10, 's', 1), (2, 1, 9, 5, 5, 's', 2), (3, 1, 9, 20, 10, 's', 3);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (11, 1, 100, 1, 3, 'a'), (12, 1, 100, 21, 5, 'a');
