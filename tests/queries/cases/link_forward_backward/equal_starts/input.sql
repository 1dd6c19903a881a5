-- parameters: trace_id=1
-- Two nested forward operators with number 6 begin at one time: the inner one, 3, is linked.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, sequence_number, forward_thread_id)
VALUES (2, 1, 10, 20, 10, 'f6 outer', 6, 0), (3, 1, 10, 20, 4, 'f6', 6, 0), (24, 1, 20, 120, 10, 'b6', 6, 1);
