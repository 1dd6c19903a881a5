-- The call at 50 begins in the step's end, which is no longer in it; a runtime call in it is
-- its own time; an operator in it, also below an annotation, is not.
INSERT INTO process (id, trace_id, pid) VALUES (10, 1, 1);
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 't', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (11, 1, 'thread', 10);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (5, 1, 11, 0, 50, 's', 1);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 11, 10, 20, 'cpu_op', 'mm', 0, NULL), (2, 1, 11, 12, 4, 'cuda_runtime', 'c', 1, 1),
  (3, 1, 11, 49, -1, 'cpu_op', 'mm', 0, NULL),
  (4, 1, 11, 17, 6, 'user_annotation', 'a', 1, 1), (6, 1, 11, 18, 3, 'cpu_op', 'add', 2, 4);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
