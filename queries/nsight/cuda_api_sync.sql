/* ---
name = "cuda_api_sync"
version = 1
title = "Calls that hold the host until the device is done"
help = """
Calls of cudaDeviceSynchronize and cudaStreamSynchronize and their like in HIP, longest first. They keep
the host from launching ahead; cudaStreamWaitEvent and cudaEventSynchronize wait for less.
The rule cuda_api_sync of `nsys analyze` has the same calls of CUDA.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Only so many rows of each trace, the longest; null: all"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The call"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length; unfinished calls have 0"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Thread"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
help = "The function"

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
