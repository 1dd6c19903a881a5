/* ---
name = "cuda_api_sync"
version = 1
title = "Calls that block the host until the device is done"
help = """
Calls of cudaDeviceSynchronize, cudaStreamSynchronize and their HIP equivalents, longest first. They
keep the host from launching ahead; cudaStreamWaitEvent and cudaEventSynchronize wait for less. The
rule cuda_api_sync of `nsys analyze` has the same CUDA calls.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "slice_id", "dur_ns", "start_ns", "pid", "tid", "call"]

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Maximum number of rows per trace, longest first; null: all"

[column]
slice_id.help = "Call"
dur_ns.help = "Duration; unfinished calls have 0"
start_ns.help = "Start, on the time axis of slice.ts"
call.nullable = false

[changes]
1 = "first version"
--- */
WITH waiting AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id ORDER BY greatest(dur, 0) DESC, ts, slice_id) AS place
  FROM launch
  WHERE name LIKE 'cudaDeviceSynchronize%' OR name LIKE 'cudaStreamSynchronize%'
    OR name LIKE 'hipDeviceSynchronize%' OR name LIKE 'hipStreamSynchronize%'
)
SELECT
  t.run_id,
  l.trace_id,
  t.rank,
  l.slice_id,
  greatest(l.dur, 0) AS dur_ns,
  l.ts AS start_ns,
  p.pid,
  h.tid,
  l.name AS call
FROM waiting AS l
JOIN trace AS t ON t.id = l.trace_id
LEFT JOIN track AS k ON k.id = l.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN process AS p ON p.id = h.process_id
WHERE $top::BIGINT IS NULL OR l.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, l.trace_id, l.place
