-- Call 12 takes 4 ns, of which the server, 23, works 2; message 10 has no response.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES
  (1, 1, 'a', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 5000, 0);
INSERT INTO rpc (slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key) VALUES
  (10, 2, 2, 0, 0, 'n', 'send', 'x;y'), (20, 1, 1, 1, 0, 'n', 'recv', 'x;y'),
  (12, 1, 1, 10, 4, 'n', 'client', 'z;y'), (23, 2, 2, 11, 2, 'n', 'server', 'z;y');
INSERT INTO link (
  id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version
) VALUES
  (-1, NULL, 1, 10, 20, 'rpc', 'key', 1, 'default', 'q', 1),
  (-2, NULL, 1, 12, 23, 'rpc', 'key', 0.9, 'default', 'q', 1);
