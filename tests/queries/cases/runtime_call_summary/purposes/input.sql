-- submit is a launch because it caused a kernel; the copy inside it is not its own time.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES
  (101, 1, 0, 0, 10, 'r', 'submit', 0, NULL),
  (102, 1, 0, 2, 3, 'r', 'cudaMemcpyAsync', 1, 101),
  (103, 1, 0, 20, 110, 'r', 'submit', 0, NULL),
  (104, 1, 0, 150, -1, 'r', 'cudaDeviceSynchronize', 0, NULL),
  (105, 1, 0, 160, 37, 'r', 'cudaFuncSetAttribute', 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 30, 5, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 40, 5, 'a', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 50, 5, 'c', 'memcpy', 'memory');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 101, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 101, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 102, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 103, 1, 'launch', 'correlation', 1, 'other', 'q', 1);
