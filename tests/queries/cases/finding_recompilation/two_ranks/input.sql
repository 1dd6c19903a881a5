-- Rank 0 compiles in 10-40, with a timed part inside, as 0/1, and in 60-70 as 1/0; its backward pass in 80-85,
-- as 0/1. Rank 1 compiles in 0-20, of which nothing tells the id. An older version of the compiler records
-- 90-97 as an annotation. Cache lookups and compiled regions do not compile.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind) VALUES (1, 1, 'thread'), (2, 2, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 1, 10, 30, 'cpu_op', 'dynamo', 0),
  (2, 1, 1, 12, 20, 'cpu_op', '_compile.compile_inner (dynamo_timed)', 1),
  (3, 1, 1, 11, 1, 'user_annotation', 'dynamo_data: compile_id=0/1', 1),
  (4, 1, 1, 13, 1, 'user_annotation', 'entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id=0/1', 2),
  (5, 1, 1, 60, 10, 'cpu_op', 'dynamo', 0),
  (6, 1, 1, 61, 1, 'user_annotation', 'dynamo_data: compile_id=1/0', 1),
  (7, 1, 1, 80, 5, 'cpu_op', 'entire_backward_compile', 0),
  (8, 1, 1, 81, 1, 'user_annotation', 'entire_backward_compile_data: fn_name=backward, compile_id=0/1', 1),
  (9, 1, 1, 90, 7, 'user_annotation', 'entire_frame_compile (dynamo_timed)', 0),
  (10, 1, 1, 0, 2, 'cpu_op', 'TorchDynamo Cache Lookup', 0),
  (11, 1, 1, 45, 10, 'cpu_op', 'Torch-Compiled Region: 0/1', 0),
  (12, 2, 2, 0, 20, 'cpu_op', 'dynamo', 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, 'host' FROM slice WHERE category = 'user_annotation';
