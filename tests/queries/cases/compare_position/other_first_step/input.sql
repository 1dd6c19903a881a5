-- parameters: a=one b=one/u
-- Rank 1 (u) lacks the first of four steps that rank 0 recorded: step 4 is the second of the run, but
-- the first of rank 1 alone.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 100, 100, 's', 4), (13, 1, 9, 200, 100, 's', 5), (14, 1, 9, 300, 100, 's', 6),
  (22, 2, 9, 100, 100, 's', 4), (23, 2, 9, 200, 100, 's', 5), (24, 2, 9, 300, 100, 's', 6);
