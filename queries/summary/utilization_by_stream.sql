/* ---
name = "utilization_by_stream"
version = 1
title = "Busy share per stream"
help = """
The part of the span of the whole device in which any operation of the stream runs. Streams work
concurrently, so their shares may add up to more than 1.
"""
grain = ["trace_id", "device_id", "stream"]
requires = { schema = ">=1", queries = ["device_op@1"] }
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "stream", "n_ops", "start_ns", "end_ns",
  "span_ns", "busy_ns", "utilization",
]

[column]
n_ops.help = "Number of kernels, copies and memsets"
start_ns.help = "Start of the stream's first operation, on the time axis of slice.ts"
end_ns.help = "End of the stream's last operation"
span_ns.help = "Time from the start of the device's first operation to the end of its last"
busy_ns.help = "Time in which any operation of the stream runs"

[changes]
1 = "first version"
--- */
-- Each operation adds the part beyond all operations before it.
WITH reach AS (
  SELECT
    trace_id,
    device_id,
    stream,
    start_ns,
    end_ns,
    coalesce(
      max(end_ns) OVER (
        PARTITION BY trace_id, device_id, stream
        ORDER BY start_ns, end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      start_ns
    ) AS reached_ns
  FROM device_op()
),
by_stream AS (
  SELECT
    trace_id,
    device_id,
    stream,
    count(*) AS n_ops,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(greatest(end_ns - greatest(start_ns, reached_ns), 0))::BIGINT AS busy_ns
  FROM reach
  GROUP BY trace_id, device_id, stream
),
spanned AS (
  SELECT
    *,
    max(end_ns) OVER (PARTITION BY trace_id, device_id)
    - min(start_ns) OVER (PARTITION BY trace_id, device_id) AS span_ns
  FROM by_stream
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
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
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream
