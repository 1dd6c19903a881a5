-- parameters: trace_id=1
-- Operator b of another thread is open when a launches its second kernel. Kernel 32 is a memset.
INSERT INTO track (id, trace_id, kind) VALUES (100, 1, 'thread'), (101, 1, 'thread'), (102, 1, 'stream');
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, category, name) VALUES
  (10, 1, 100, 0, 20, 0, 'cpu_op', 'a'), (11, 1, 101, 5, 30, 0, 'cpu_op', 'b');
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (10, 1, 100, 0, 20, 'a'), (11, 1, 101, 5, 30, 'b');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (20, 1, 100, 1, 1, 'hipLaunchKernel', 'hip_runtime'),
  (21, 1, 100, 10, 1, 'hipLaunchKernel', 'hip_runtime'),
  (22, 1, 100, 12, 1, 'hipFree', 'hip_runtime');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (30, 1, 102, 8, 1, 'k', 'kernel', 'compute'), (31, 1, 102, 30, 1, 'k', 'kernel', 'compute'),
  (32, 1, 102, 7, 1, 'MemsetD8', 'kernel', 'memory');
