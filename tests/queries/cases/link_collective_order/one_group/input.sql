-- parameters: run_id=1
-- Three ranks of one host, each in one group only: their calls need neither members nor names.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
SELECT r + 1, 1, 't' || r, r, 'a', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1700000000000000000, 0
FROM range(3) AS t(r);
INSERT INTO process_group (id, trace_id, name, n_ranks, ranks_json)
SELECT id, id, '0', 3, '[0,1,2]' FROM trace;
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (11, 1, 1, 3000000, 6000000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (12, 1, 2, 20000000, 4000000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (21, 2, 3, 4000000, 1050000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (22, 2, 4, 20200000, 810000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (31, 3, 5, 4100000, 4810000, 'gloo:all_reduce', 'host', 'all_reduce'),
  (32, 3, 6, 20300000, 3710000, 'gloo:all_reduce', 'host', 'all_reduce');
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
SELECT slice_id + 40, trace_id, 9, ts // 10 * 9, 1000, 'c10d::call', 0 FROM collective;
INSERT INTO link (id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, 1, slice_id + 40, slice_id, 'enqueue', 'order', 0.9, 'default', 'link_enqueue', 1 FROM collective;
