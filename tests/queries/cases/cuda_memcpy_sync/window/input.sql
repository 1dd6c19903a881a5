-- input: shared/cuda_copies_and_waits.sql
-- window: 75ns 90ns
-- The copy runs in the window; a second one, whose call ended before.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (40, 1, 100, 58, 1, 'cudaMemcpy', 'cuda_runtime');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  context_id, bytes, direction, source_memory_kind, destination_memory_kind) VALUES
  (50, 1, 107, 10, 7, 70, 20, 'c', 'memcpy', 'memory', 1, 70000, 'HtoD', 'Pageable', 'Device');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (50, 1, 1, 40, 50, 'launch', 'correlation', 1, 'default', 'q', 1);
