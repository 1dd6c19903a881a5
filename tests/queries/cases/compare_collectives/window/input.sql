-- parameters: a=before b=after
-- window: 15ns 30ns
-- Without steps figures are those of the window: of the all_reduce 5 to 20 before, 5 ns; of those 10 to 30
-- and 20 to 40 after, 15 and 10 ns. The broadcast at 50 is outside of it.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'before', 'measured', TIMESTAMP '2024-01-01'), (2, 'after', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 100),
  (2, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 100);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, data_type, n_input_elements, input_bytes, output_bytes)
VALUES
  (1, 1, 0, 5, 15, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (2, 1, 0, 50, 10, 'nccl', 'device', 'broadcast', '0', 4, 'Byte', 32, 32, 32),
  (11, 2, 0, 10, 20, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (12, 2, 0, 20, 20, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000);
