-- Allocations of two stacks: events, and the blocks of a snapshot.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 0, 10, 0, 'memory', 'alloc', 0), (2, 1, 0, 15, 0, 'memory', 'alloc', 0),
  (3, 1, 0, 20, 0, 'memory', 'free_requested', 0), (4, 1, 0, 30, 0, 'memory', 'alloc', 0),
  (5, 1, 0, 40, 0, 'memory', 'free_requested', 0);
INSERT INTO memory_event (slice_id, trace_id, track_id, ts, name, address, bytes,
  total_allocated_bytes, device_kind, device_ordinal, call_stack_id) VALUES
  (1, 1, 0, 10, 'alloc', 512, 300, 400, 'cuda', 0, 1),
  (2, 1, 0, 15, 'alloc', 1024, 50, 450, 'cuda', 0, 1),
  (3, 1, 0, 20, 'free_requested', 1024, -50, 400, 'cuda', 0, NULL),
  (4, 1, 0, 30, 'alloc', 2048, 100, 500, 'cuda', 0, 2),
  (5, 1, 0, 40, 'free_requested', 4096, -40, 460, 'cuda', 0, NULL);
INSERT INTO memory_segment (id, trace_id, device_kind, device_ordinal, address, reserved_bytes)
VALUES (1, 1, 'cuda', 0, 512, 8192);
INSERT INTO memory_block (id, trace_id, memory_segment_id, address, bytes, requested_bytes, state,
  call_stack_id) VALUES
  (1, 1, 1, 512, 512, 300, 'active_allocated', 1),
  (2, 1, 1, 2048, 512, 100, 'active_allocated', 2),
  (3, 1, 1, 6144, 512, 60, 'active_allocated', 1);
INSERT INTO call_frame (call_stack_id, trace_id, depth, file, line, function) VALUES
  (1, 1, 0, 'a.py', 5, 'f'), (1, 1, 1, 'a.py', 9, 'main'),
  (2, 1, 0, '??', 0, 'at::empty'), (2, 1, 1, 'a.py', 9, 'main');
