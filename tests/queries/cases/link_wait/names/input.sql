-- parameters: trace_id=1
-- No records. Work 21 [10, 30) and 22 [30, 60) on stream 7, copy 23 [60, 80) on stream 8, all launched
-- at once. 11 waits for the device from 40 to 70: of the work that ended meanwhile the last is 22.
-- 12 waits for a stream: not for 7, which is not done yet. 14 waits for an event meanwhile: 21. 13 does,
-- and nothing ends. 15 waits for a stream: 7, which is done with 22. The copy is of a blocking call
-- with a version in its name. Copy 24 goes to memory that is not pinned; 25 ends after its call, 26
-- goes the other way, 27 is of a call that does not block.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 1, 1, 1, 'hipLaunchKernel'), (2, 1, 1, 2, 1, 'hipLaunchKernel'),
  (3, 1, 1, 3, 80, 'cuMemcpyDtoH_v2_ptds'), (4, 1, 2, 100, 30, 'cudaMemcpyAsync'),
  (5, 1, 2, 130, 10, 'cudaMemcpyAsync'), (6, 1, 2, 150, 30, 'cudaMemcpyAsync'),
  (7, 1, 2, 180, 30, 'cudaMemcpyAsync'),
  (11, 1, 3, 40, 30, 'hipDeviceSynchronize'), (12, 1, 3, 20, 15, 'hipStreamSynchronize'),
  (13, 1, 3, 81, 5, 'cudaEventSynchronize'), (14, 1, 4, 20, 15, 'cudaEventSynchronize'),
  (15, 1, 4, 36, 25, 'synchronizeStream');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  direction)
VALUES (21, 1, 0, 50, 7, 10, 20, 'k', 'kernel', 'compute', NULL),
  (22, 1, 0, 50, 7, 30, 30, 'k', 'kernel', 'compute', NULL),
  (23, 1, 0, 50, 8, 60, 20, 'Memcpy DtoH (Device -> Pinned)', 'memcpy', 'memory', 'DtoH'),
  (24, 1, 0, 50, 8, 105, 9, 'Memcpy DtoH (Device -> Pageable)', 'memcpy', 'memory', 'DtoH'),
  (25, 1, 0, 50, 8, 135, 9, 'Memcpy DtoH (Device -> Pageable)', 'memcpy', 'memory', 'DtoH'),
  (26, 1, 0, 50, 8, 155, 9, 'Memcpy HtoD (Pageable -> Device)', 'memcpy', 'memory', 'HtoD'),
  (27, 1, 0, 50, 8, 185, 9, 'Memcpy DtoH (Device -> Pinned)', 'memcpy', 'memory', 'DtoH');
INSERT INTO link
SELECT g, 1, 1, c, g, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM (VALUES (1, 21), (2, 22), (3, 23), (4, 24), (5, 25), (6, 26), (7, 27)) AS t(c, g);
