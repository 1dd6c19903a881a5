-- parameters: a=one b=one
-- window: 0 400
-- Of five steps one did not end, one lasts no time, and one lies in the time window in part.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (12, 1, 9, 110, 90, 's', 4), (11, 1, 9, 0, 100, 's', 3), (13, 1, 9, 205, -1, 's', 5),
  (14, 1, 9, 310, 0, 's', 6), (15, 1, 9, 350, 100, 's', 7);
