-- A thread with steps from 0, 100 and 200, of which the last takes 300; loading of data (0-20, 100-130);
-- operators aten::item (40-60), aten::empty (61-71), aten::to (131-135, below a Python function) and
-- my::postprocess (160-240); on a device k1 30-40, a copy of pageable memory 140-150, k2 260-270, and a
-- collective 300-320.
--   calls: launch 22-24, synchronize 42-58 in aten::item, malloc 62-70 in aten::empty, copy 132-134 in
--   aten::to, launch 250-252 and 290-292
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, device_id, stream) VALUES
  (1, 1, 'thread', NULL, NULL), (3, 1, 'stream', 5, 7), (4, 1, 'stream', 5, 9);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 1, 0, 100, 'user_annotation', 'ProfilerStep#1', 0),
  (2, 1, 1, 100, 100, 'user_annotation', 'ProfilerStep#2', 0),
  (3, 1, 1, 200, 300, 'user_annotation', 'ProfilerStep#3', 0),
  (4, 1, 1, 0, 20, 'user_annotation', 'enumerate(DataLoader)#_Iter.__next__', 1),
  (5, 1, 1, 100, 30, 'user_annotation', 'enumerate(DataLoader)#_Iter.__next__', 1),
  (6, 1, 1, 40, 20, 'cpu_op', 'aten::item', 1),
  (7, 1, 1, 61, 10, 'cpu_op', 'aten::empty', 1),
  (8, 1, 1, 131, 4, 'cpu_op', 'aten::to', 1),
  (9, 1, 1, 160, 80, 'cpu_op', 'my::postprocess', 1),
  (10, 1, 1, 130, 6, 'python_function', 'train.py(3): main', 1),
  (11, 1, 1, 22, 2, 'cuda_runtime', 'cudaLaunchKernel', 1),
  (12, 1, 1, 42, 16, 'cuda_runtime', 'cudaStreamSynchronize', 2),
  (13, 1, 1, 62, 8, 'cuda_runtime', 'cudaMalloc', 2),
  (14, 1, 1, 132, 2, 'cuda_runtime', 'cudaMemcpyAsync', 2),
  (15, 1, 1, 250, 2, 'cuda_runtime', 'cudaLaunchKernel', 1),
  (16, 1, 1, 290, 2, 'cuda_runtime', 'cudaLaunchKernel', 1),
  (21, 1, 3, 30, 10, 'kernel', 'k1', 0),
  (24, 1, 3, 140, 10, 'gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 0),
  (25, 1, 3, 260, 10, 'kernel', 'k2', 0),
  (26, 1, 4, 300, 20, 'kernel', 'ncclKernel', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT id, trace_id, track_id, ts, dur, name, id FROM slice WHERE id <= 3;
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, 'host' FROM slice WHERE id <= 5;
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, bytes, direction, source_memory_kind)
SELECT id, trace_id, track_id, 5, ts, dur, name, CASE id WHEN 24 THEN 'memcpy' ELSE 'kernel' END,
  CASE id WHEN 24 THEN 'memory' WHEN 26 THEN 'communication' ELSE 'compute' END,
  CASE track_id WHEN 3 THEN 7 ELSE 9 END, CASE id WHEN 24 THEN 100 END, CASE id WHEN 24 THEN 'HtoD' END,
  CASE id WHEN 24 THEN 'Pageable' END
FROM slice WHERE id > 20;
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind) VALUES
  (26, 1, 4, 300, 20, 'ncclKernel', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 11, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 14, 24, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 15, 25, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 16, 26, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 6, 12, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (6, 1, 1, 7, 13, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (7, 1, 1, 8, 14, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (8, 1, 1, 10, 8, 'python', 'containment', 1, 'default', 'q', 1);
