-- input: shared/waits_of_steps.sql
-- parameters: a=r b=r
-- window: 0 110ns
-- Step 7 is whole. It also launched an all_reduce that runs after the window, in which rank 1 waits 5 ns
-- for rank 0; before, rank 0 waits 30 ns for rank 1. Step 8 is cut.
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, name, category)
VALUES (5, 1, 110, 130, 10, 0, 'nccl', 'kernel'), (7, 2, 210, 125, 15, 0, 'nccl', 'kernel');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES (5, 1, 110, 130, 10, 'nccl', 'device', 'allreduce'), (7, 2, 210, 125, 15, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-4, NULL, 1, 5, 7, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (10, 1, 1, 101, 5, 'step', 'launch', 1, 'default', 'q', 1),
  (11, 2, 1, 201, 7, 'step', 'launch', 1, 'default', 'q', 1);
-- Ids contain the trace, as those of imports do.
UPDATE collective SET slice_id = slice_id + (trace_id << 32);
UPDATE slice SET id = id + (trace_id << 32);
UPDATE step SET slice_id = slice_id + (trace_id << 32);
UPDATE gpu_op SET slice_id = slice_id + (trace_id << 32);
UPDATE link SET
  from_id = from_id + (coalesce(trace_id, 1) << 32), to_id = to_id + (coalesce(trace_id, 2) << 32);
