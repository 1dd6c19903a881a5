-- Two threads named by texts, which have no numbers, launch a kernel of 10 and one of 20 ns.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (8, 1, 42);
INSERT INTO thread (id, trace_id, process_id, source_tid) VALUES (1, 1, 8, '"a"'), (2, 1, 8, '"b"');
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, process_id, thread_id) VALUES
  (5, 1, 'thread', 8, 1), (6, 1, 'thread', 8, 2), (7, 1, 'stream', NULL, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 5, 0, 2, 'l'), (2, 1, 6, 0, 2, 'l');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES (3, 1, 7, 10, 7, 4, 10, 'k', 'kernel', 'compute'),
  (4, 1, 7, 10, 7, 14, 20, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 1, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 2, 4, 'launch', 'correlation', 1, 'default', 'q', 1);
