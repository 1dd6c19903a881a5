-- parameters: trace_id=1
-- Number 5: an arrow leads from 1 to the outer backward operator 21; its inner one, 22, needs no link.
-- Number 6: no arrow; 2 lies around 3, which is the last to begin before the backward operators; of
-- these the inner one, 24, is linked. 4 begins after it. Number 7 has no forward operator.
-- Number 8: run backward twice, 27 and 28.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, sequence_number, forward_thread_id)
VALUES (1, 1, 10, 0, 10, 'f5', 5, 0), (2, 1, 10, 20, 10, 'f6 outer', 6, 0),
  (3, 1, 10, 22, 4, 'f6', 6, 0), (4, 1, 10, 300, 9, 'f6 later', 6, 0),
  (21, 1, 20, 100, 10, 'b5 outer', 5, 1), (22, 1, 20, 102, 5, 'b5', 5, 1),
  (23, 1, 20, 120, 10, 'b6 outer', 6, 1), (24, 1, 20, 120, 10, 'b6', 6, 1),
  (25, 1, 20, 140, 10, 'b7', 7, 1), (26, 1, 10, 40, 5, 'f8', 8, NULL),
  (27, 1, 20, 160, 10, 'b8', 8, 1), (28, 1, 20, 180, 10, 'b8 again', 8, 1),
  (29, 2, 30, 0, 10, 'other trace', 7, 0), (30, 1, 10, 50, 5, 'none', -1, 0),
  (31, 1, 20, 190, 5, 'none', -1, 1);
INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
VALUES (1, 1, 10, 0, 's', 'fwdbwd', 'fwdbwd', '1', 1),
  (2, 1, 20, 100, 'f', 'fwdbwd', 'fwdbwd', '1', 21);
