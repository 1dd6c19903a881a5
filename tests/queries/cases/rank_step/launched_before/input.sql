-- input: shared/waits_of_steps.sql
-- An all_reduce on the devices (5, 7) that no step launched runs in step 8: rank 1 waits 5 ns in none.
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, name, category)
VALUES (5, 1, 110, 130, 10, 0, 'nccl', 'kernel'), (7, 2, 210, 125, 15, 0, 'nccl', 'kernel');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES (5, 1, 110, 130, 10, 'nccl', 'device', 'allreduce'), (7, 2, 210, 125, 15, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-4, NULL, 1, 5, 7, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
