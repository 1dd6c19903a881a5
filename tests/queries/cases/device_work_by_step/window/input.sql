-- window: 0ns 20ns
-- Step 30, from 0 to 15, lies in the window: its work counts whole, 10 ns from 15 and 5 ns from 40. Step 31, from
-- 15 to 30, does not: of its work 4 ns are inside, and the 6 ns from 30 are not there.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (30, 1, 9, 0, 15, 's', 1), (31, 1, 9, 15, 15, 's', 2);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES (1, 1, 0, 15, 10, 'a', 'kernel', 'compute'), (2, 1, 0, 40, 5, 'a', 'kernel', 'compute'),
  (3, 1, 0, 16, 8, 'b', 'kernel', 'compute'), (4, 1, 0, 30, 6, 'b', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (1, 1, 1, 30, 1, 'step', 'r', 1, 'default', 'q', 1), (2, 1, 1, 30, 2, 'step', 'r', 1, 'default', 'q', 1),
  (3, 1, 1, 31, 3, 'step', 'r', 1, 'default', 'q', 1), (4, 1, 1, 31, 4, 'step', 'r', 1, 'default', 'q', 1);
