-- Rank 0 has two traces, with steps 1 and 2, and with step 4; rank 1 has two, with step 1 and with
-- steps 3 and 4. So rank 0 lacks step 3, and rank 1 step 2. Run 2 has two traces of its only rank.
INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01'), (2, 's', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
SELECT id, run_id, 't' || id, rank, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0
FROM (VALUES (1, 1, 1), (2, 1, 0), (3, 1, 1), (4, 1, 0), (5, 2, 0), (6, 2, 0)) AS t(id, run_id, rank);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES
  (1, 2, 0, 0, 1, 's', 1), (2, 2, 0, 1, 1, 's', 2), (3, 4, 0, 3, 1, 's', 4),
  (4, 1, 0, 0, 1, 's', 1), (5, 3, 0, 2, 1, 's', 3), (6, 3, 0, 3, 1, 's', 4),
  (7, 5, 0, 0, 1, 's', 1), (8, 6, 0, 1, 1, 's', 2);
