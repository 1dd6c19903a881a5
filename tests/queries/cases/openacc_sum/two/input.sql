-- Calls of another category do not count; one never ended.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 42);
INSERT INTO thread (id, trace_id, process_id, tid, name) VALUES (1, 1, 1, 43, 'main');
INSERT INTO device (id, trace_id, kind, ordinal, name) VALUES (10, 1, 'gpu', 2, 'GPU');
INSERT INTO track (id, trace_id, kind, process_id, thread_id, device_id, stream) VALUES
  (100, 1, 'thread', 1, 1, NULL, NULL),
  (107, 1, 'stream', 1, NULL, 10, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 100, 0, 4, 'openacc', 'a', 0),
  (2, 1, 100, 10, 8, 'openacc', 'a', 0),
  (3, 1, 100, 20, -1, 'openacc', 'b', 0),
  (4, 1, 100, 30, 9, 'osrt', 'a', 0);
