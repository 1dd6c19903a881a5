-- parameters: run_id=1
-- Key x;y is used twice in step 3, and once more in step 4, whose request the sender did not record.
-- Key z;y has no step. Requests named GetStatus go in both directions.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES
  (1, 1, 'a', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 5000, 0);
INSERT INTO rpc (slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, step_number) VALUES
  (10, 1, 1, 0, 0, 'n', 'send', 'x;y', 3), (11, 1, 1, 5, 0, 'n', 'send', 'x;y', 3),
  (20, 2, 2, 1, 0, 'n', 'recv', 'x;y', 3), (21, 2, 2, 6, 0, 'n', 'recv', 'x;y', 3),
  (22, 2, 2, 9, 0, 'n', 'recv', 'x;y', 4),
  (12, 1, 1, 0, 4, 'n', 'client', 'z;y', NULL), (23, 2, 2, 1, 2, 'n', 'server', 'z;y', NULL),
  (13, 1, 1, 2, 0, 'n', 'send', 'GetStatus', NULL), (24, 2, 2, 3, 0, 'n', 'recv', 'GetStatus', NULL),
  (25, 2, 2, 7, 0, 'n', 'send', 'GetStatus', NULL), (14, 1, 1, 8, 0, 'n', 'recv', 'GetStatus', NULL);
