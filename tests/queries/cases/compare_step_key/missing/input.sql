-- parameters: a=before b=after
-- After, the annotation of one step is missing on each rank. Rank 0 has the same numbers; rank 1 was
-- recorded later, so numbers count from the first; rank 2 has no numbers, and a gap as long as a step.
-- Rank 3 is only before: rank 0 stands in for it after.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'before', 'measured', TIMESTAMP '2024-01-01'), (2, 'after', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (3, 1, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (4, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (5, 2, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (6, 2, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (7, 1, 'w', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 110, 101, 's', 4), (13, 1, 9, 220, 102, 's', 5),
  (21, 2, 9, 0, 100, 's', 3), (22, 2, 9, 110, 101, 's', 4), (23, 2, 9, 220, 102, 's', 5),
  (31, 3, 9, 0, 100, 's', NULL), (32, 3, 9, 110, 101, 's', NULL), (33, 3, 9, 220, 102, 's', NULL),
  (34, 3, 9, 332, 103, 's', NULL),
  (41, 4, 9, 0, 200, 's', 3), (43, 4, 9, 420, 202, 's', 5),
  (51, 5, 9, 0, 200, 's', 13), (53, 5, 9, 420, 202, 's', 15),
  (61, 6, 9, 0, 200, 's', NULL), (63, 6, 9, 420, 202, 's', NULL), (64, 6, 9, 632, 203, 's', NULL),
  (71, 7, 9, 5, 100, 's', 5);
