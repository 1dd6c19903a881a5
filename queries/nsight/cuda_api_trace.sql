/* ---
name = "cuda_api_trace"
version = 1
title = "Runtime and driver calls"
help = """
The report cuda_api_trace of `nsys stats` has the same rows. Calls recorded a second time with their
backtrace, as nsys did up to 2022, are deduplicated.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "start_ns", "dur_ns", "call", "result",
  "correlation_id", "pid", "tid", "thread_priority", "thread_name",
]

[column]
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"
result = { type = "BIGINT", unit = "source id", nullable = true, help = "Return value of the call; 0: success" }
thread_priority = { type = "BIGINT", unit = "count", nullable = true, help = "Thread priority" }
thread_name = { type = "VARCHAR", unit = "text", nullable = true, help = "Thread name" }

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
  -- As recorded: ids of all processes but the first are stored shifted by multiples of 2^40.
  CASE WHEN l.correlation_id >= 0 THEN l.correlation_id % 1099511627776 ELSE l.correlation_id END
    AS correlation_id,
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
