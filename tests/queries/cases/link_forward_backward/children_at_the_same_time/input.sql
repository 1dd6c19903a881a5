-- parameters: trace_id=1
-- The arrow leads from operator 1 to operator 21, but both have a child that begins with them, to which
-- the arrow binds: 2, which has another number, and 22, which has none.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, sequence_number, forward_thread_id)
VALUES (1, 1, 10, 0, 10, 'f5', 5, 0), (2, 1, 10, 0, 4, 'f6', 6, 0),
  (21, 1, 20, 100, 10, 'b5', 5, 1), (22, 1, 20, 100, 5, 'mul', NULL, NULL);
INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
VALUES (1, 1, 10, 0, 's', 'fwdbwd', 'fwdbwd', '1', 2),
  (2, 1, 20, 100, 'f', 'fwdbwd', 'fwdbwd', '1', 22);
