/* ---
name = "cuda_api_trace"
version = 1
title = "Every runtime and driver call"
help = """
The report cuda_api_trace of `nsys stats` has the same rows. Calls recorded a second time with their
backtrace, as nsys did up to 2022, are here once.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }

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
help = "The slice"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The function"

[[column]]
name = "result"
type = "BIGINT"
unit = "source id"
nullable = true
help = "What the call returned; 0: success"

[[column]]
name = "correlation_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Shared by a call and the work it caused"

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
name = "thread_priority"
type = "BIGINT"
unit = "count"
nullable = true
help = "Priority of the thread"

[[column]]
name = "thread_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the thread"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  l.trace_id,
  t.rank,
  l.slice_id,
  l.ts AS start_ns,
  greatest(l.dur, 0) AS dur_ns,
  l.name AS call,
  l.result,
  l.correlation_id,
  p.pid,
  h.tid,
  h.priority AS thread_priority,
  h.name AS thread_name
FROM launch AS l
JOIN trace AS t ON t.id = l.trace_id
LEFT JOIN track AS k ON k.id = l.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN process AS p ON p.id = h.process_id
ORDER BY t.run_id, t.rank, l.trace_id, l.ts, l.slice_id
