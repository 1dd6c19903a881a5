-- Step 7 launches an all_reduce (2, 6) on the device of each rank, for which rank 0 waits 30 ns; on
-- rank 0 it is behind compute for 10 of its 40 ns. In step 8 rank 1 waits 5 ns in an all_reduce on
-- the host (3, 8), which no link assigns to a step. The last one (4, 9) begins after all steps.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id, start_ts, end_ts)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 10, 0, 400),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 20, 0, 400);
INSERT INTO clock (id, trace_id, name, offset_ns, drift, uncertainty_ns, method)
VALUES (10, 1, 'host', 0, NULL, 0, 'reference'), (20, 2, 'host', 0, NULL, 0, 'manual');
INSERT INTO process (id, trace_id, pid, name) VALUES (1000, 1, 1, 'p'), (2000, 2, 2, 'p');
INSERT INTO track (id, trace_id, process_id, kind, name)
VALUES (100, 1, 1000, 'thread', 't'), (110, 1, 1000, 'stream', 's'),
  (200, 2, 2000, 'thread', 't'), (210, 2, 2000, 'stream', 's');
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (101, 1, 100, 0, 100, 's', 7), (102, 1, 100, 100, 100, 's', 8),
  (201, 2, 200, 0, 110, 's', 7), (202, 2, 200, 110, 90, 's', 8);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 110, 11, 7, 10, 20, 'a', 'kernel', 'compute'),
  (2, 1, 110, 11, 8, 20, 40, 'nccl', 'kernel', 'communication'),
  (6, 2, 210, 21, 8, 50, 10, 'nccl', 'kernel', 'communication');
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, name, category)
VALUES (2, 1, 110, 20, 40, 0, 'nccl', 'kernel'), (6, 2, 210, 50, 10, 0, 'nccl', 'kernel'),
  (3, 1, 100, 120, 30, 1, 'gloo', 'cpu_op'), (8, 2, 200, 115, 35, 1, 'gloo', 'cpu_op'),
  (4, 1, 100, 300, 30, 0, 'gloo', 'cpu_op'), (9, 2, 200, 310, 20, 0, 'gloo', 'cpu_op');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES (2, 1, 110, 20, 40, 'nccl', 'device', 'allreduce'),
  (6, 2, 210, 50, 10, 'nccl', 'device', 'allreduce'),
  (3, 1, 100, 120, 30, 'gloo', 'host', 'allreduce'),
  (8, 2, 200, 115, 35, 'gloo', 'host', 'allreduce'),
  (4, 1, 100, 300, 30, 'gloo', 'host', 'allreduce'),
  (9, 2, 200, 310, 20, 'gloo', 'host', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (1, 1, 1, 101, 1, 'step', 'launch', 1, 'default', 'q', 1),
  (2, 1, 1, 101, 2, 'step', 'launch', 1, 'default', 'q', 1),
  (3, 2, 1, 201, 6, 'step', 'launch', 1, 'default', 'q', 1),
  (-1, NULL, 1, 2, 6, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 3, 8, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-3, NULL, 1, 4, 9, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
