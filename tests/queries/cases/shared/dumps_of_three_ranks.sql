-- Dumps of ranks 0, 1 and 2 of a default group of four; rank 3 has none. All called all_reduce number 1.
-- Ranks 0 and 2 called broadcast number 2, rank 2 with another size; rank 1 called nothing more. Rank 0
-- sent a message to rank 1, which has not received it.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't0', 0, 'flight_recorder', 'flight_recorder', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 't1', 1, 'flight_recorder', 'flight_recorder', 1, '0', TIMESTAMP '2024-01-01', 1100, 0),
  (3, 1, 't2', 2, 'flight_recorder', 'flight_recorder', 1, '0', TIMESTAMP '2024-01-01', 1200, 0);
INSERT INTO process_group (id, trace_id, name, description, n_ranks, ranks_json)
VALUES
  (1, 1, '0', 'default_pg', 4, '[0,1,2,3]'), (2, 2, '0', 'default_pg', 4, '[0,1,2,3]'),
  (3, 3, '0', 'default_pg', 4, '[0,1,2,3]');
INSERT INTO call_frame (call_stack_id, trace_id, depth, file, line, function)
VALUES
  (10, 1, 0, '/env/torch/distributed/c10d.py', 7, 'all_reduce'), (10, 1, 1, 'train.py', 3, 'step'),
  (11, 1, 0, 'train.py', 5, 'step'), (20, 2, 0, 'train.py', 3, 'step'), (31, 3, 0, 'train.py', 6, 'step');
INSERT INTO recorded_collective (
  slice_id, trace_id, track_id, ts, dur, name, record_id, group_number, group_name,
  group_description, backend, kind, peer_rank, is_p2p, sequence_number, op_number, state, is_retired,
  input_sizes_json, input_types_json, output_sizes_json, output_types_json, call_stack_id)
VALUES
  (100, 1, 0, 0, 50, 'nccl:all_reduce', 0, 0, '0', 'default_pg', 'nccl', 'all_reduce', NULL, false, 1, 1,
    'completed', true, '[[4,3]]', '["Float"]', '[[4,3]]', '["Float"]', 10),
  (101, 1, 0, 100, -1, 'nccl:broadcast', 1, 0, '0', 'default_pg', 'nccl', 'broadcast', NULL, false, 2, 2,
    'started', false, '[[8]]', '["Half"]', '[[8]]', '["Half"]', 11),
  (102, 1, 0, 120, -1, 'nccl:send 0->1', 2, 0, '0', 'default_pg', 'nccl', 'send', 1, true, 1, 3,
    'started', false, '[[5]]', '["Float"]', '[]', '[]', 11),
  (200, 2, 0, 0, 40, 'nccl:all_reduce', 0, 0, '0', 'default_pg', 'nccl', 'all_reduce', NULL, false, 1, 1,
    'completed', true, '[[4,3]]', '["Float"]', '[[4,3]]', '["Float"]', 20),
  (300, 3, 0, 0, 30, 'nccl:all_reduce', 0, 0, '0', 'default_pg', 'nccl', 'all_reduce', NULL, false, 1, 1,
    'completed', true, '[[4,3]]', '["Float"]', '[[4,3]]', '["Float"]', NULL),
  (301, 3, 0, 100, -1, 'nccl:broadcast', 1, 0, '0', 'default_pg', 'nccl', 'broadcast', NULL, false, 2, 2,
    'started', false, '[[9]]', '["Half"]', '[[9]]', '["Half"]', 31);
