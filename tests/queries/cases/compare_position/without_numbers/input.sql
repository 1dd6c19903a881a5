-- parameters: a=one b=two
-- Steps of run one have no numbers; ranks of run two share one of four: each trace counts its own.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01'),
  (2, 'two', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 'u', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (3, 2, 'v', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', NULL), (12, 1, 9, 100, 100, 's', NULL),
  (21, 2, 9, 0, 100, 's', 1), (22, 2, 9, 100, 100, 's', 2), (23, 2, 9, 200, 100, 's', 3),
  (33, 3, 9, 0, 100, 's', 3), (34, 3, 9, 100, 100, 's', 4), (35, 3, 9, 200, 100, 's', 5);
