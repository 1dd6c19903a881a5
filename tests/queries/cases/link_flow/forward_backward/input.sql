-- parameters: trace_id=1
-- Arrows of category fwdbwd are another linker's.
INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
VALUES (1, 1, 10, 0, 's', 'fwdbwd', 'fwdbwd', '1', 1), (2, 1, 10, 5, 'f', 'fwdbwd', 'fwdbwd', '1', 2),
  (3, 1, 10, 0, 's', NULL, 'n', '1', 3), (4, 1, 10, 5, 'f', NULL, 'n', '1', 4);
