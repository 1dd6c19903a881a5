-- Compute 100-110, communication 105-115, copies 115-120 and 140-150: 5 overlap, 5 are exposed.
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, kind, class)
VALUES
  (1, 1, 0, 10, 7, 100, 10, 'kernel', 'compute'),
  (2, 1, 0, 10, 8, 105, 10, 'kernel', 'communication'),
  (3, 1, 0, 10, 7, 115, 5, 'memcpy', 'memory'),
  (4, 1, 0, 10, 7, 130, -7, 'kernel', 'compute'),
  (5, 1, 0, 10, 7, 140, 10, 'memset', 'memory'),
  (6, 1, 0, 10, 7, 0, 900, 'sync', 'sync'),
  (7, 1, 0, 11, 7, 105, 10, 'kernel', 'compute');
