-- Slice 4294967297 is there twice, and so is its operator; 4294967328 shares 32 ids with no other.
-- Ids that differ by a multiple of 32 are not the same.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES
  (4294967296, 1, 0, 5, 10, 's', 0),
  (4294967297, 1, 0, 5, 10, 's', 0),
  (4294967297, 1, 0, 5, 10, 's', 0),
  (4294967328, 1, 0, 5, 10, 's', 0),
  (4294967329, 1, 0, 5, 10, 's', 0),
  (4294967360, 1, 0, 5, 10, 's', 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur)
VALUES
  (4294967297, 1, 0, 5, 10),
  (4294967297, 1, 0, 5, 10);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES
  (-4294967297, NULL, 1, 4294967296, 4294967296, 'collective_peer', 'r', 1, 'default', 'q', 1),
  (-4294967297, NULL, 1, 4294967296, 4294967296, 'collective_peer', 'r', 1, 'default', 'q', 1);
