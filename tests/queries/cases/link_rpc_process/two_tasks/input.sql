-- parameters: trace_id=1
-- Processes 8 and 9 of one host. Key x;y is used twice in step 3 and received in the other process;
-- the step of the client of z;y is not recorded. Process 8 also receives key x;y itself (15), which is
-- not from another process. Requests named GetStatus go in both directions; w;w has no receiver.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 'a', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1000, 0);
INSERT INTO process (id, trace_id, pid) VALUES (8, 1, 100), (9, 1, 200);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (1, 1, 'thread', 8), (2, 1, 'thread', 9);
INSERT INTO rpc (slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, step_number) VALUES
  (10, 1, 1, 0, 0, 'n', 'send', 'x;y', 3), (11, 1, 1, 5, 0, 'n', 'send', 'x;y', 3),
  (20, 1, 2, 1, 0, 'n', 'recv', 'x;y', 3), (21, 1, 2, 6, 0, 'n', 'recv', 'x;y', 3),
  (12, 1, 1, 0, 4, 'n', 'client', 'z;y', NULL), (22, 1, 2, 1, 2, 'n', 'server', 'z;y', 3),
  (13, 1, 1, 2, 0, 'n', 'send', 'GetStatus', NULL), (23, 1, 2, 3, 0, 'n', 'recv', 'GetStatus', NULL),
  (24, 1, 2, 7, 0, 'n', 'send', 'GetStatus', NULL), (14, 1, 1, 8, 0, 'n', 'recv', 'GetStatus', NULL),
  (15, 1, 1, 9, 0, 'n', 'recv', 'x;y', 3), (16, 1, 1, 9, 0, 'n', 'send', 'w;w', 3);
