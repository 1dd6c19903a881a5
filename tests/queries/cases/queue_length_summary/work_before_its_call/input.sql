-- 994 kernels queued at once, and 48 recorded as starting before their own call, which comes when no
-- other is queued. A running sum over changes, as in Holistic Trace Analysis, subtracts these 48 from
-- the others and finds 946; but at no moment does work that started wait.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT 5000 + n, 1, 1, CASE WHEN n < 994 THEN 10 * n ELSE 40000 END, 5, 'cudaLaunchKernel'
FROM range(1042) AS r(n);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
SELECT n, 1, 0, 10, 7, CASE WHEN n < 994 THEN 20000 + 10 * n ELSE 9000 END, 5, 'k', 'kernel', 'compute'
FROM range(1042) AS r(n);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT n, 1, 1, 5000 + n, n, 'launch', 'correlation', 1, 'default', 'q', 1
FROM range(1042) AS r(n);
