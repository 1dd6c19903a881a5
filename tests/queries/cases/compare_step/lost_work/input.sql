-- parameters: a=one b=one
-- The device work of the last call of step 4 was not recorded; that of the call in between was, but
-- not that of a wait, whose name launches nothing.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 110, 90, 's', 4);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (21, 1, 9, 10, 5, 'cudaLaunchKernel'), (22, 1, 9, 20, 5, 'cudaDeviceSynchronize'),
  (23, 1, 9, 120, 5, 'cudaLaunchKernel'), (24, 1, 9, 130, 5, 'cudaDeviceSynchronize'),
  (25, 1, 9, 140, 5, 'cudaLaunchKernel');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 21, 31, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 23, 32, 'launch', 'correlation', 1, 'default', 'q', 1);
