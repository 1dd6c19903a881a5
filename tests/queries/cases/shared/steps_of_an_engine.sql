-- Steps of an inference engine: a prefill of 2 requests and 100 tokens, two decodes of 4 requests, the second
-- of which is prepared while the first runs, a mixed step, and a step of training, which is not one.
-- Device work of each step: 300 ns; before that of the mixed step the device waits 100 ns.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 3000);
INSERT INTO process (id, trace_id, pid) VALUES (10, 1, 1);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, process_id, device_id, stream)
VALUES (11, 1, 'thread', 10, NULL, NULL), (12, 1, 'stream', 10, 5, 7);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES
  (101, 1, 11, 0, 200, 'execute_100_context_2(sq100sk100sqsq1sqsk1)_generation_0(sq0sk0sqsq0sqsk0)', 0),
  (102, 1, 11, 400, 200, 'step[DECODE bs=4]', 1),
  (103, 1, 11, 700, 200, 'execute_context_0(0)_generation_4(8)', 2),
  (104, 1, 11, 1100, 500, 'execute_9_context_1(sq5sk5sqsq1sqsk1)_generation_4(sq4sk9sqsq1sqsk1)', 3),
  (105, 1, 11, 2000, 100, 'ProfilerStep#5', 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class)
VALUES
  (201, 1, 12, 5, 50, 300, 'k', 'kernel', 'compute'), (202, 1, 12, 5, 450, 300, 'k', 'kernel', 'compute'),
  (203, 1, 12, 5, 750, 300, 'k', 'kernel', 'compute'), (204, 1, 12, 5, 1150, 300, 'k', 'kernel', 'compute'),
  (205, 1, 12, 5, 2050, 300, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT 300 + n, 1, 1, 100 + n, 200 + n, 'step', 'launch', 1, 'default', 'q', 1 FROM range(1, 6) AS t(n);
