-- Two stages and microbatches in one step; rank 1's clock is 1000 ns ahead. Rank 0 works until 20, receives
-- from 30 to 50 and works until 80; an all_reduce of its own, from 60 to 70, is no wait. Rank 1 works from 15
-- to 45 without a pause.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO clock (id, trace_id, name, offset_ns, drift, uncertainty_ns, method)
VALUES (1, 1, 'host', 0, NULL, 0, 'reference'), (2, 2, 'host', -1000, NULL, 0, 'manual');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 1),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 2);
INSERT INTO process_group (id, trace_id, name, description, n_ranks, ranks_json)
VALUES (1, 1, '1', 'mesh_pp', 2, '[0,1]'), (2, 1, '3', 'mesh_tp', 2, '[0,2]'), (3, 2, '1', 'mesh_pp', 2, '[0,1]');
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (20, 2, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (1, 1, 'thread', 'host'), (2, 2, 'thread', 'host'),
  (3, 1, 'stream', 'device'), (4, 2, 'stream', 'device');
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (100, 1, 1, 0, 90, 'ProfilerStep#5', 5), (200, 2, 2, 1000, 90, 'ProfilerStep#5', 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (101, 1, 3, 10, 7, 0, 10, 'gemm', 'kernel', 'compute'),
  (102, 1, 3, 10, 7, 10, 10, 'gemm', 'kernel', 'compute'),
  (103, 1, 3, 10, 8, 10, 5, 'nccl', 'kernel', 'communication'),
  (104, 1, 3, 10, 8, 20, 5, 'nccl', 'kernel', 'communication'),
  (105, 1, 3, 10, 7, 30, 20, 'nccl', 'kernel', 'communication'),
  (106, 1, 3, 10, 7, 50, 10, 'gemm', 'kernel', 'compute'),
  (107, 1, 3, 10, 7, 60, 10, 'nccl', 'kernel', 'communication'),
  (108, 1, 3, 10, 7, 70, 10, 'gemm', 'kernel', 'compute'),
  (201, 2, 4, 20, 7, 1000, 15, 'nccl', 'kernel', 'communication'),
  (202, 2, 4, 20, 7, 1015, 30, 'gemm', 'kernel', 'compute'),
  (203, 2, 4, 20, 8, 1040, 8, 'nccl', 'kernel', 'communication'),
  (204, 2, 4, 20, 8, 1048, 8, 'nccl', 'kernel', 'communication');
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, category, name)
SELECT slice_id, trace_id, track_id, ts, dur, 0, 'kernel', name FROM gpu_op
UNION ALL SELECT slice_id, trace_id, track_id, ts, dur, 0, 'user_annotation', name FROM step;
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name, group_size, peer_rank)
SELECT g.slice_id, g.trace_id, g.track_id, g.ts, g.dur, g.name, 'device', v.kind, v.group_name, 2, v.peer
FROM gpu_op AS g
JOIN (VALUES (103, 'send', '1', 1), (104, 'send', '1', 1), (105, 'recv', '1', 1), (107, 'allreduce', '3', NULL),
  (201, 'recv', '1', 0), (203, 'send', '1', 0), (204, 'send', '1', 0)) AS v(id, kind, group_name, peer)
  ON v.id = g.slice_id;
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, trace_id, 1, 100 * trace_id, slice_id, 'step', 'launch', 1, 'default', 'q', 1 FROM gpu_op;
