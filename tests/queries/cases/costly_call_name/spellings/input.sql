-- Names of the CUDA runtime and driver, HIP, Level Zero and SYCL. Waits of streams for events, copies, launches and
-- queries return at once or count elsewhere.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (1, 1, 1, 0, 1, 'cudaStreamSynchronize'),
  (2, 1, 1, 1, 1, 'cuEventSynchronize'),
  (3, 1, 1, 2, 1, 'hipDeviceSynchronize'),
  (4, 1, 1, 3, 1, 'zeCommandQueueSynchronize'),
  (5, 1, 1, 4, 1, 'urQueueFinish'),
  (6, 1, 1, 5, 1, 'cudaMalloc'),
  (7, 1, 1, 6, 1, 'cuMemAlloc_v2'),
  (8, 1, 1, 7, 1, 'hipFree'),
  (9, 1, 1, 8, 1, 'cudaHostAlloc'),
  (10, 1, 1, 9, 1, 'cudaMallocAsync'),
  (11, 1, 1, 10, 1, 'cuMemMap'),
  (12, 1, 1, 11, 1, 'cudaFreeHost'),
  (13, 1, 1, 12, 1, 'cudaMalloc'),
  (14, 1, 1, 13, 1, 'cudaStreamWaitEvent'),
  (15, 1, 1, 14, 1, 'cudaMemcpyAsync'),
  (16, 1, 1, 15, 1, 'cudaLaunchKernel'),
  (17, 1, 1, 16, 1, 'cudaMemGetInfo'),
  (18, 1, 1, 17, 1, 'cudaEventQuery');
