-- SM is 10 for 30 ns, then 40 for 10 ns, then 20 (which holds for no time): (10*30 + 40*10) / 40 = 17.5.
-- A value that was no number does not count. The other counter has two values at one instant.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 2);
INSERT INTO process (id, trace_id, pid, name) VALUES (15, 1, 7, 'app');
INSERT INTO track (id, trace_id, kind, name, process_id, device_id, unit)
VALUES (20, 1, 'counter', 'SM', NULL, 10, '%'), (21, 1, 'counter', 'queue', 15, NULL, NULL);
INSERT INTO counter (id, trace_id, track_id, ts, value)
VALUES
  (1, 1, 20, 100, 10), (2, 1, 20, 120, NULL), (3, 1, 20, 130, 40), (4, 1, 20, 140, 20),
  (5, 1, 21, 50, 1), (6, 1, 21, 50, 4);
