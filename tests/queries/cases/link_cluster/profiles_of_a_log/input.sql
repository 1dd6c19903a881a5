-- parameters: trace_id=2
-- A log with clusters a and b, which copy 8, 400 and 400 bytes, c, which copies 8, and d, a second dump
-- of a. Profile 1 names the program of b; 3 names nothing; 4 is of c by choice; 5 has sizes of none of
-- them; 6 names a and copies 8, 800, 800; in 7 the sizes of e (5, 5) overlap and follow another copy.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, metadata_json)
SELECT id, 1, 't' || id, f, f, 1, '0', TIMESTAMP '2024-01-01', 0, 0, m
FROM (VALUES
  (1, 'nsys', '{"replay": {"program": "b.input", "data": "other.tar"}}'), (2, 'disc', NULL),
  (3, 'nvprof', NULL), (4, 'rocpd', '{"replay": {"cluster": "c", "program": "a.input"}}'),
  (5, 'nsys', NULL), (6, 'nsys', '{"replay": {"program": "a.input", "data": "a.tar"}}'),
  (7, 'nsys', NULL), (8, 'kineto', NULL)) AS v(id, f, m);
INSERT INTO disc_cluster (id, trace_id, function, signature_hash, program, data, pair_method, status)
VALUES
  (20, 2, 'a', 'sa', 'a.input', 'a.tar', 'content', 'replayable'),
  (21, 2, 'b', 'sb', 'b.input', 'b.tar', 'content', 'replayable'),
  (22, 2, 'c', 'sc', 'c.input', 'c.tar', 'content', 'replayable'),
  (23, 2, 'd', 'sa', 'd.input', 'd.tar', 'content', 'replayable'),
  (24, 2, 'e', 'se', 'e.input', 'e.tar', 'content', 'replayable');
INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, kind, placement, bytes)
SELECT c.id, 2, a.ordinal, 'parameter', a.placement, a.bytes
FROM (VALUES (20), (21), (23)) AS c(id)
CROSS JOIN (VALUES (0, 'const', 8), (1, 'cpu', 4), (2, 'gpu', 400), (3, 'gpu', 400)) AS a(ordinal, placement, bytes)
UNION ALL
SELECT 22, 2, 0, 'parameter', 'gpu', 8
UNION ALL
SELECT 24, 2, unnest([0, 1]), 'parameter', 'gpu', 5;
INSERT INTO track (id, trace_id, kind, name, process_id)
SELECT id * 100, id, 'stream', 's', id * 100 FROM trace;
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, direction, context_id, bytes)
SELECT t * 100 + n, t, t * 100, n * 10, 1, 'copy', 'memcpy', 'memory', 'HtoD', 1, sizes[n]
FROM (
  SELECT t, sizes, unnest(range(1, len(sizes) + 1)) AS n
  FROM (VALUES
    (1, [8, 400, 400]), (3, [8, 400, 400, 8, 400, 400]), (4, [8, 8]), (5, [8, 400]),
    (6, [8, 800, 800, 8, 800, 800]), (7, [5, 5, 5, 5, 5, 9, 5, 5]), (8, [8, 400, 400, 8, 400, 400])
  ) AS v(t, sizes)
);
-- Kernels of profile 3: before the first iteration, two in it, one in the second, one of another context.
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, context_id)
VALUES
  (350, 3, 300, 5, 100, 'k', 'kernel', 'compute', 1), (351, 3, 300, 33, 3, 'k', 'kernel', 'compute', 1),
  (352, 3, 300, 36, 4, 'k', 'kernel', 'compute', 1), (353, 3, 300, 65, 9, 'k', 'kernel', 'compute', 1),
  (354, 3, 300, 66, 50, 'k', 'kernel', 'compute', 2);
