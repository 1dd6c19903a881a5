-- all_reduce of four ranks just below and at a power of two; an all_gather of unknown size that never
-- ended; a call that only enqueues, which does not count.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, data_type, n_input_elements, input_bytes, output_bytes)
VALUES
  (1, 1, 0, 0, 10, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1000, 1000, 1000),
  (2, 1, 0, 20, 30, 'nccl', 'device', 'all_reduce', '0', 4, 'Byte', 1023, 1023, 1023),
  (3, 1, 0, 60, 20, 'nccl', 'device', 'allreduce', '0', 4, 'Byte', 1024, 1024, 1024),
  (4, 1, 0, 90, -1, 'nccl', 'device', 'allgather', NULL, NULL, NULL, NULL, NULL, NULL),
  (5, 1, 0, 95, 7, 'record_param_comms', 'host', 'allreduce', '0', 4, 'Byte', 1024, 1024, 1024);
