-- The clock of trace 2 is 1000 ns ahead, and its base 1100 ns later: the server begins at 105 and ends at
-- 115 of trace 1's time, inside of the call from 100 to 120.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 'a', NULL, 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 1),
  (2, 1, 'b', NULL, 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1100, 0, 2);
INSERT INTO clock (id, trace_id, name, offset_ns) VALUES (1, 1, 'host', 0), (2, 2, 'host', -1000);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth) VALUES
  (10, 1, 1, 100, 20, 0), (20, 2, 2, 5, 10, 0);
INSERT INTO rpc (slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, bytes) VALUES
  (10, 1, 1, 100, 20, 'n', 'client', 'x;y', NULL), (20, 2, 2, 5, 10, 'n', 'server', 'x;y', 40);
INSERT INTO link (
  id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version
) VALUES (-1, NULL, 1, 10, 20, 'rpc', 'key', 0.9, 'default', 'q', 1);
