-- A wait is no activity, nor is a migration of managed memory; a kernel that never ended counts 0 ns.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'rocpd', 'rocpd', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 3);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, args_json)
VALUES
  (1, 1, 0, 1000, 1000, 'gpu_memcpy', '[CUDA memcpy HtoD]', 0,
   '{"src_memory":"Pageable","dst_memory":"Device"}'),
  (2, 1, 0, 2500, 20, 'kernel', 'k', 0,
   '{"static_shared_memory":16,"dynamic_shared_memory":32}'),
  (3, 1, 0, 2600, -1, 'kernel', 'k', 0, NULL),
  (4, 1, 0, 2700, 50, 'cuda_sync', 'Stream Sync', 0, NULL),
  (6, 1, 0, 2800, 40, 'gpu_memcpy', '[Unified Memory Memcpy HtoD]', 0, NULL),
  (5, 1, 0, 900, 60, 'cuda_runtime', 'cudaMemcpy', 0, NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, context_id, ts, dur, name, kind,
  class, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread,
  correlation_id)
VALUES
  (1, 1, 0, 10, 7, 1, 1000, 1000, '[CUDA memcpy HtoD]', 'memcpy', 'memory', 1048576, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL, 5),
  (2, 1, 0, 10, 7, 1, 2500, 20, 'k', 'kernel', 'compute', NULL, 2, 1, 1, 32, 1, 1, 40, 6),
  (3, 1, 0, NULL, 7, 1, 2600, -1, 'k', 'kernel', 'compute', NULL, 2, 1, 1, 32, 1, 1, 40, NULL),
  (4, 1, 0, 10, 7, 1, 2700, 50, 'Stream Sync', 'sync', 'sync', NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, bytes,
  is_unified)
VALUES (6, 1, 0, 10, 2800, 40, '[Unified Memory Memcpy HtoD]', 'memcpy', 'memory', 65536, true);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
VALUES (5, 1, 0, 900, 60, 'cudaMemcpy', 'cuda_runtime');
