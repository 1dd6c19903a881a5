-- input: shared/replay_ddp.sql
-- parameters: bytes=20 recorded_bits_per_s=16000000000
-- A second reduction: 72 bytes need 36 ns on the link, and take 18 (42 - 24) and 28 (64 - 36) besides.
INSERT INTO track (id, trace_id, kind, name, process_id) VALUES (3, 1, 'thread', 'gloo 2', 8);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (7, 1, 1, 26, 1, 'cpu_op', 'c10d::allreduce_', 1, 1),
  (11, 1, 3, 30, 60, 'user_annotation', 'gloo:all_reduce', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (7, 1, 1, 26, 1, 'c10d::allreduce_');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements, input_bytes)
VALUES (11, 1, 3, 30, 60, 'gloo:all_reduce', 'host', 'all_reduce', 6, 24);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES (3, 1, 1, 7, 11, 'enqueue', 'order', 0.9, 'default', 'q', 1);
