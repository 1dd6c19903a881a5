/* ---
name = "utilization_by_stream"
version = 2
title = "Busy share per stream"
help = """
The part of the span of the whole device in which any operation of the stream runs. Streams work
concurrently, so their shares may add up to more than 1. In a time window the figures are those of
the part of the span inside the window; streams without work there have no row.
"""
grain = ["trace_id", "device_id", "track_id", "stream"]
requires = { schema = ">=1", queries = ["device_extent@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "n_ops", "start_ns",
  "end_ns", "span_ns", "busy_ns", "utilization",
]

[column]
track_id.help = "Track of the stream"
n_ops.help = "Number of kernels, copies and memsets"
start_ns.help = "Start of the stream's first operation, on the time axis of slice.ts"
end_ns.help = "End of the stream's last operation"
span_ns.help = "Time from the start of the device's first operation to the end of its last"
busy_ns.help = "Time in which any operation of the stream runs"

[changes]
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
-- Each operation adds the part beyond all operations before it.
WITH work AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    greatest(ts, w.from_ns) AS start_ns,
    least(greatest(ts + greatest(dur, 0), w.from_ns), w.to_ns) AS end_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind <> 'sync'
),
reach AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    start_ns,
    end_ns,
    coalesce(
      max(end_ns) OVER (
        PARTITION BY trace_id, device_id, track_id, stream
        ORDER BY start_ns, end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      start_ns
    ) AS reached_ns
  FROM work
),
by_stream AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    count(*) AS n_ops,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(greatest(end_ns - greatest(start_ns, reached_ns), 0))::BIGINT AS busy_ns
  FROM reach
  GROUP BY trace_id, device_id, track_id, stream
),
spanned AS (
  SELECT s.*, e.end_ns - e.start_ns AS span_ns
  FROM by_stream AS s
  JOIN device_extent() AS e
    ON e.trace_id = s.trace_id AND e.device_id IS NOT DISTINCT FROM s.device_id
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  a.n_ops,
  a.start_ns,
  a.end_ns,
  a.span_ns,
  a.busy_ns,
  a.busy_ns / nullif(a.span_ns, 0) AS utilization
FROM spanned AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id
