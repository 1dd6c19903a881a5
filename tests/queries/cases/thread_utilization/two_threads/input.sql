-- Thread 0: an operator (100) around a call (20), and a collective that is an operator too (30);
-- an unfinished operator is empty. Thread 1: one call, half-way. Device work does not count.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (10, 1, 'thread', 'main'), (11, 1, 'thread', NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 10, 0, 100, 'outer'), (3, 1, 10, 170, 30, 'all_reduce'), (6, 1, 10, 150, -1, 'open');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES (2, 1, 10, 20, 20, 'cudaLaunchKernel'), (4, 1, 11, 50, 50, 'cudaFree');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side)
VALUES (3, 1, 10, 170, 30, 'all_reduce', 'host'), (5, 1, 12, 0, 400, 'ncclKernel', 'device');
