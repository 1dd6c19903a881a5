-- parameters: trace_id=1
-- Two processes number arrows, threads and operators alike. Arrow 1 of each leads from its own
-- forward operator (20, 30) to its own backward operator (21, 31), though both begin before either
-- ends. Numbers 7 have no arrow: 22 to 23, and 32 to 33.
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 99), (2, 1, 98);
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (100, 1, 'thread', 1), (101, 1, 'thread', 1), (200, 1, 'thread', 2), (201, 1, 'thread', 2);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, sequence_number, forward_thread_id) VALUES
  (20, 1, 100, 0, 5, 3, 0), (22, 1, 100, 10, 5, 7, 0), (21, 1, 101, 40, 5, 3, 1),
  (23, 1, 101, 30, 5, 7, 1), (30, 1, 200, 2, 5, 3, 0), (32, 1, 200, 12, 5, 7, 0),
  (31, 1, 201, 42, 5, 3, 1), (33, 1, 201, 32, 5, 7, 1);
INSERT INTO flow_point (id, trace_id, slice_id, track_id, ts, phase, category, name, flow_key) VALUES
  (1, 1, 20, 100, 0, 's', 'fwdbwd', 'fwdbwd', '1'), (2, 1, 21, 101, 40, 'f', 'fwdbwd', 'fwdbwd', '1'),
  (3, 1, 30, 200, 2, 's', 'fwdbwd', 'fwdbwd', '1'), (4, 1, 31, 201, 42, 'f', 'fwdbwd', 'fwdbwd', '1');
