-- parameters: run_id=1
-- Two ranks of one host, on one clock. gloo runs collectives on two threads of a busy machine, so
-- their ends are milliseconds apart, and the second one of rank 0 ends before the first: the end
-- of 12 is nearest to that of 33, and that of 13 to 32. The order of calls tells which are one.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 0, 'a', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1700000000000000000, 0),
  (2, 1, 't2', 1, 'a', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1700000000000000000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (11, 1, 1, 0, 100000, 'gloo:broadcast', 'host', 'broadcast'),
  (12, 1, 1, 3000000, 6000000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (13, 1, 2, 3100000, 2000000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (14, 1, 1, 20000000, 4000000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (15, 1, 2, 20100000, 900000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (31, 2, 3, 400000, 2000000, 'gloo:broadcast', 'host', 'broadcast'),
  (32, 2, 3, 4000000, 1050000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (33, 2, 4, 4200000, 4810000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (34, 2, 4, 20200000, 810000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (35, 2, 3, 20300000, 3710000, 'gloo:all_reduce', 'host', 'all_reduce');
-- Each call is before its work; the ranks call in the same order.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
SELECT slice_id + 40, trace_id, 9, ts // 10 * 9, 1000, 'c10d::call', 0 FROM collective;
INSERT INTO link (id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, 1, slice_id + 40, slice_id, 'enqueue', 'order', 0.9, 'default', 'link_enqueue', 1 FROM collective;
