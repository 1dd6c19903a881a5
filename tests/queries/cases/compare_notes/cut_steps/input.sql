-- parameters: a=one b=two
-- window: 0 400
-- Of the steps of one the first is whole, two did not end, one lasts no time, and one begins in the time
-- window only. Of those of two the first is whole, the recording ended before the device work of the
-- second, and the time window cuts the third, whose device work is not recorded either; one step ended before it.
INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01'), (2, 'two', 'measured', TIMESTAMP '2024-01-02');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 110, -1, 's', 4), (13, 1, 9, 205, -1, 's', 5),
  (14, 1, 9, 310, 0, 's', 6), (15, 1, 9, 350, 100, 's', 7),
  (21, 2, 9, 0, 100, 's', 3), (22, 2, 9, 110, 90, 's', 4), (23, 2, 9, 350, 100, 's', 5),
  (24, 2, 9, -90, 80, 's', 2);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (31, 2, 9, 10, 5, 'cudaLaunchKernel'), (32, 2, 9, 120, 5, 'cudaLaunchKernel'), (33, 2, 9, 360, 5, 'cudaLaunchKernel'),
  (34, 2, 9, 20, 5, 'cudaLaunchKernel'), (35, 2, 9, 30, 5, 'cudaLaunchKernel');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 2, 2, 31, 41, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 2, 2, 34, 42, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 2, 2, 35, 43, 'launch', 'correlation', 1, 'default', 'q', 1);
