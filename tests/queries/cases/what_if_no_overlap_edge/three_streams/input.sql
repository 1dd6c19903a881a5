-- input: shared/replay_timeline.sql
-- A collective of stream 11 (92-96, called at 74) waits for both streams that worked before: for k2 and k3.
INSERT INTO track (id, trace_id, kind, name, thread_id, device_id, stream) VALUES (5, 1, 'stream', NULL, NULL, 5, 11);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (7, 1, 1, 74, 2, 'cuda_runtime', 'launch', 2, 2), (13, 1, 5, 92, 4, 'kernel', 'c', 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES (7, 1, 1, 74, 2, 'launch');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
VALUES (13, 1, 5, 5, 92, 4, 'c', 'kernel', 'communication', 11);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind) VALUES (13, 1, 5, 92, 4, 'c', 'device', 'all_reduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (6, 1, 1, 7, 13, 'launch', 'correlation', 1, 'default', 'q', 1);
