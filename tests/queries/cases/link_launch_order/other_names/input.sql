-- parameters: trace_id=1
-- The second packet of the queue is for another kernel than the one that ran: the order does not hold.
INSERT INTO device (id, trace_id, kind, ordinal, properties_json)
VALUES (1, 1, 'gpu', 0, '{"source_id":"5"}');
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, args_json) VALUES
  (20, 1, 100, 0, 0, 0, '{"agent_handle":5,"queue_id":7,"kernel_name":"a"}'),
  (21, 1, 100, 1, 0, 0, '{"agent_handle":5,"queue_id":7,"kernel_name":"b"}');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (20, 1, 100, 0, 0, 'aql_kernel_dispatch', 'hsa_queue'),
  (21, 1, 100, 1, 0, 'aql_kernel_dispatch', 'hsa_queue');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream) VALUES
  (30, 1, 101, 1, 10, 1, 'a', 'kernel', 'compute', 7),
  (31, 1, 101, 1, 12, 1, 'c', 'kernel', 'compute', 7);
