/* ---
name = "utilization_by_stream"
version = 1
title = "Busy share of each stream"
help = """
Of the span of the whole device, the part in which any operation of the stream runs. Streams work at
the same time, so their shares may add up to more than 1.
"""
grain = ["trace_id", "device_id", "stream"]
requires = { schema = ">=1", queries = ["device_op@1"] }

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
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the stream's first operation, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the stream's last operation"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the device's first operation to the end of its last"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Some operation of the stream runs"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "busy_ns / span_ns; NULL for an empty span"

[changes]
1 = "first version"
--- */
-- Each operation adds what it reaches beyond all before it.
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
