-- Rank 1 before has one step, and after there are ranks 1 and 2: 1 meets 1, and 2 meets nobody.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (3, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (4, 2, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-02', 0, 0),
  (5, 2, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (301, 3, 31, 0, 50, 's', 5), (401, 4, 41, 0, 60, 's', 9), (501, 5, 51, 0, 70, 's', 5),
  (502, 5, 51, 70, 80, 's', 6);
