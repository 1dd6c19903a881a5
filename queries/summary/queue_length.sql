/* ---
name = "queue_length"
version = 2
title = "Queue length per stream, at each change"
help = """
Work counts as queued from the start of the call that launched it until the work starts, and as
outstanding until it ends. Work that starts before its own call (inconsistent clocks) is never
queued; work without a recorded call does not count at all. All work of a graph launch is queued at
once.

A value lasts until the next row of its stream. Long recordings have many rows: use
queue_length_over_time, or a time window. In a time window, all work of the trace counts, and the
first row of a stream is the state at the start of the window.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["queue_step@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "start_ns",
  "queue_length", "n_outstanding",
]

[column]
track_id.help = "Track of the stream"
start_ns.help = "Time of the change, on the time axis of slice.ts"

[changes]
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  a.ts_ns AS start_ns,
  a.queue_length,
  a.n_outstanding
FROM queue_step() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id, a.ts_ns
