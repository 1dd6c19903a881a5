-- window: 0 100
-- The second trace of run 1 lasts longer than the time window; those of run 2 and the timeline of run 3 do not
-- matter: the one ends with it, the other is of no trial.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'cut', 'measured', TIMESTAMP '2024-01-01'), (2, 'whole', 'measured', TIMESTAMP '2024-01-01'),
  (3, 'timeline', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
SELECT id, run_id, name, rank, 'h', format, format, 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, end_ts
FROM (VALUES
  (1, 1, 'r0', 0, 'dpro', 100), (2, 1, 'r1', 1, 'dpro', 101), (3, 2, 'r0', 0, 'dpro', 100),
  (4, 3, 't', 0, 'kineto', 200)
) AS v(id, run_id, name, rank, format, end_ts);
INSERT INTO graph (id, trace_id, kind, name) VALUES
  (11, 1, 'dpro', 'host0.rank0'), (21, 2, 'dpro', 'host0.rank1'), (31, 3, 'dpro', 'host0.rank0');
