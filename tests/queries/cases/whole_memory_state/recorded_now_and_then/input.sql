-- All bytes are read twice: 1000 after a change of 100, 1300 between changes of 50 and -20.
INSERT INTO memory_event (trace_id, track_id, ts, bytes, total_allocated_bytes, device_kind,
  device_ordinal, source_order) VALUES
  (1, 0, 1, 100, NULL, 'cpu', -1, 0), (1, 0, 2, NULL, 1000, 'cpu', -1, 1),
  (1, 0, 3, 50, NULL, 'cpu', -1, 2), (1, 0, 4, NULL, 1300, 'cpu', -1, 3),
  (1, 0, 5, -20, NULL, 'cpu', -1, 4);
