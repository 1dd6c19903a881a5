-- parameters: a=before b=after
-- Two steps before, one after. An all_reduce of 1,000 bytes runs twice a step on both sides, for 10 ns
-- before and 15 ns after; one of 64 bytes once a step before and twice after; a broadcast is gone, a
-- reduce new. A call that only enqueues does not count.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'before', 'measured', TIMESTAMP '2024-01-01'), (2, 'after', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (101, 1, 9, 0, 100, 'ProfilerStep#1', 1), (102, 1, 9, 100, 100, 'ProfilerStep#2', 2),
  (201, 2, 9, 0, 100, 'ProfilerStep#1', 1);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, data_type, n_input_elements, input_bytes, output_bytes)
VALUES
  (1, 1, 0, 0, 10, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (2, 1, 0, 20, 10, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (3, 1, 0, 110, 10, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (4, 1, 0, 130, 10, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (5, 1, 0, 40, 3, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 64, 64, 64),
  (6, 1, 0, 150, 3, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 64, 64, 64),
  (7, 1, 0, 60, 8, 'nccl', 'device', 'broadcast', '0', 4, 'Byte', 32, 32, 32),
  (8, 1, 8, 5, 90, 'record_param_comms', 'host', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (11, 2, 0, 0, 15, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (12, 2, 0, 20, 15, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (13, 2, 0, 40, 3, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 64, 64, 64),
  (14, 2, 0, 50, 3, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 64, 64, 64),
  (15, 2, 0, 60, 2, 'nccl', 'device', 'reduce', '0', 4, 'Byte', 16, 16, 16);
-- Each was launched in the step in which it runs.
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT c.slice_id, c.trace_id, c.trace_id, s.slice_id, c.slice_id, 'step', 'r', 1, 'default', 'q', 1
FROM collective AS c
JOIN step AS s ON s.trace_id = c.trace_id AND c.ts >= s.ts AND c.ts < s.ts + s.dur
WHERE c.side = 'device';
