-- A log with two dumps of graph aa, one that cannot be replayed, and one of bb; replays of aa before and
-- after a change of the compiler, and a profile that may be of aa or bb.
INSERT INTO run (id, name, kind, created_at)
SELECT n, name, 'measured', TIMESTAMP '2024-01-01'
FROM (VALUES (1, 'log'), (2, 'before'), (3, 'after'), (4, 'unclear')) AS v(n, name);
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
SELECT n, n, 't' || n, f, f, 1, '0', TIMESTAMP '2024-01-01', 0, 0
FROM (VALUES (1, 'disc'), (2, 'nsys'), (3, 'nsys'), (4, 'nsys')) AS v(n, f);
INSERT INTO disc_cluster (id, trace_id, graph_id, function, device_type, graph_hash, pair_method, status)
VALUES
  (9, 1, 90, 'cluster_0', 'MLIR_GPU', 'aa', 'content', 'tar_missing'),
  (10, 1, 100, 'cluster_5', 'MLIR_GPU', 'aa', 'content', 'replayable'),
  (12, 1, 120, 'cluster_1', 'MLIR_GPU', 'bb', 'content', 'replayable');
INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, kind, placement, data_type,
  shape_json, bytes)
VALUES
  (10, 1, 0, 'constant', 'const', 'int32', '[2]', 8), (10, 1, 1, 'parameter', 'gpu', 'float32', '[10]', 40),
  (12, 1, 0, 'parameter', 'gpu', 'float32', '[]', 4), (12, 1, 1, 'host', 'cpu', 'int32', '[1]', 4);
INSERT INTO disc_cluster_call (id, trace_id, disc_cluster_id, shapes_json, types_json, match)
SELECT id, 1, c, s, '[]', m
FROM (VALUES
  (1, 10, '[[2],[10]]', 'unique'), (2, 10, '[[2],[10]]', 'unique'), (3, 10, '[[2],[12]]', 'unique'),
  (4, 10, '[[2],[20]]', 'unique'), (5, 12, '[[],[1]]', 'unique'), (6, NULL, '[[7]]', 'ambiguous')
) AS v(id, c, s, m);
INSERT INTO disc_cluster_profile (profile_trace_id, cluster_trace_id, disc_cluster_id, method, confidence,
  n_candidates, function, graph_hash, signature_hash, copied_bytes, first_copy_ids, kernel_ns, linker,
  linker_version)
VALUES
  (2, 1, 10, 'command', 1, 1, 'cluster_5', 'aa', 'sa', [8, 40], [200, 210], [30, 29], 'link_cluster', 1),
  (3, 1, 10, 'bytes', 0.9, 1, 'cluster_5', 'aa', 'sa', [8, 80], [300], [12], 'link_cluster', 1),
  (4, 1, 10, 'bytes', 0.5, 2, 'cluster_5', 'aa', 'sa', [4], [400], [50], 'link_cluster', 1),
  (4, 1, 12, 'bytes', 0.5, 2, 'cluster_1', 'bb', 'sb', [4], [400], [50], 'link_cluster', 1);
INSERT INTO device (id, trace_id, kind, ordinal, name, peak_bytes_per_s)
VALUES (2, 2, 'gpu', 0, 'G', 4e9), (3, 3, 'gpu', 0, 'H', NULL);
INSERT INTO track (id, trace_id, kind, name, process_id, device_id)
VALUES (20, 2, 'stream', 's', 200, 2), (21, 2, 'thread', 'h', 200, NULL), (30, 3, 'stream', 's', 300, 3),
  (22, 2, 'stream', 'other', 201, 2);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, direction,
  context_id, bytes)
SELECT id, trace, track, CASE WHEN trace = 2 THEN 2 ELSE 3 END, ts, dur, name, k,
  CASE WHEN k = 'kernel' THEN 'compute' ELSE 'memory' END, d, 1, b
FROM (VALUES
  (199, 2, 20, 50, 9, 'early', 'kernel', NULL, NULL),
  (200, 2, 20, 100, 2, 'copy', 'memcpy', 'HtoD', 8), (201, 2, 20, 105, 3, 'copy', 'memcpy', 'HtoD', 40),
  (202, 2, 20, 110, 10, 'main_kLoop_add__3_1_0___1w1r', 'kernel', NULL, NULL),
  (203, 2, 20, 115, 20, 'sgemm', 'kernel', NULL, NULL),
  (204, 2, 22, 120, 99, 'of another process', 'kernel', NULL, NULL),
  (210, 2, 20, 200, 2, 'copy', 'memcpy', 'HtoD', 8), (211, 2, 20, 203, 3, 'copy', 'memcpy', 'HtoD', 40),
  (212, 2, 20, 210, 8, 'main_kLoop_add__3_1_0___1w1r', 'kernel', NULL, NULL),
  (213, 2, 20, 220, 17, 'sgemm', 'kernel', NULL, NULL),
  (214, 2, 20, 240, 4, 'main_kLoop_add__3_1_0___1w1r', 'kernel', NULL, NULL),
  (215, 2, 20, 246, 1, 'copy', 'memcpy', 'DtoH', 4),
  (300, 3, 30, 10, 2, 'copy', 'memcpy', 'HtoD', 8), (301, 3, 30, 13, 3, 'copy', 'memcpy', 'HtoD', 80),
  (302, 3, 30, 20, 5, 'main_kLoop_add__3_1_4___vectile4', 'kernel', NULL, NULL),
  (303, 3, 30, 30, 7, 'main_kInput_reduce__2_1_1___no_ibXVec4_1', 'kernel', NULL, NULL),
  (304, 3, 30, 40, 0, 'gKernel_7_fill', 'kernel', NULL, NULL)
) AS v(id, trace, track, ts, dur, name, k, d, b);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES (712, 2, 21, 205, 20, 'cuLaunchKernel'), (713, 2, 21, 226, 15, 'cuLaunchKernel');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES (1, 2, 2, 712, 212, 'launch', 'correlation', 1, 'default', 'link_launch', 5),
  (2, 2, 2, 713, 213, 'launch', 'correlation', 1, 'default', 'link_launch', 5);
