-- parameters: a=before b=after
-- The profiler of run after records neither steps nor operators: nothing of them became faster.
INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'before', 'measured', TIMESTAMP '2024-01-01'), (2, 'after', 'measured', TIMESTAMP '2024-01-02');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (10, 1, 1);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (11, 1, 'thread', 10);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (101, 1, 11, 0, 100, 's', 5);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (111, 1, 11, 10, 20, 'cpu_op', 'mm', 1, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice;
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES
  (131, 1, 12, 20, 10, 'k', 'kernel', 'compute'),
  (231, 2, 22, 20, 15, 'k', 'kernel', 'compute');
