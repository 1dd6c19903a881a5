/* ---
name = "memory_peak"
version = 1
title = "Peak of allocated memory per device, and the operator that reached it"
help = """
The peak is the first event after which most memory was allocated. Its operator is the innermost
cpu_op around the event on its thread: the allocation that reached the peak. In a time window the
peak is that of the events in it; sizes count all events before.
"""
grain = ["trace_id", "device_kind", "device_ordinal"]
requires = { schema = ">=6", queries = ["memory_state@1", "memory_event_op@1"], rows = ["whole_memory_event"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "n_events", "peak_ts",
  "peak_allocated_bytes", "reserved_at_peak_bytes", "peak_reserved_bytes", "first_allocated_bytes",
  "last_allocated_bytes", "cpu_op_id", "cpu_op", "slice_id",
]

[column]
n_events = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of allocator events" }
peak_allocated_bytes = { type = "BIGINT", unit = "byte", help = "Bytes allocated at the peak" }
first_allocated_bytes = { type = "BIGINT", unit = "byte", help = "Bytes allocated before the first event" }
last_allocated_bytes = { type = "BIGINT", unit = "byte", help = "Bytes allocated after the last event" }
cpu_op_id.help = "Operator that reached the peak; NULL: none"
slice_id = { nullable = true, help = "Event that reached the peak; NULL: not a slice" }

[column.reserved_at_peak_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes reserved at the peak; NULL: not recorded"

[column.peak_reserved_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Maximum of reserved bytes at any time; NULL: not recorded"

[changes]
1 = "first version"
--- */
WITH state AS MATERIALIZED (
  SELECT * FROM memory_state()
),
device_state AS (
  SELECT
    trace_id,
    device_kind,
    device_ordinal,
    count(*) AS n_events,
    max(allocated_bytes) AS peak_allocated_bytes,
    max(reserved_bytes) AS peak_reserved_bytes,
    min_by(allocated_bytes - change_bytes, event_number) AS first_allocated_bytes,
    max_by(allocated_bytes, event_number) AS last_allocated_bytes
  FROM state
  GROUP BY trace_id, device_kind, device_ordinal
),
first_peak AS (
  SELECT s.trace_id, s.device_kind, s.device_ordinal, min(s.event_number) AS event_number
  FROM state AS s
  JOIN device_state AS d
    ON d.trace_id = s.trace_id
    AND d.device_kind IS NOT DISTINCT FROM s.device_kind
    AND d.device_ordinal IS NOT DISTINCT FROM s.device_ordinal
    AND d.peak_allocated_bytes = s.allocated_bytes
  GROUP BY s.trace_id, s.device_kind, s.device_ordinal
)
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  p.device_kind,
  p.device_ordinal,
  d.n_events,
  p.ts AS peak_ts,
  p.allocated_bytes AS peak_allocated_bytes,
  p.reserved_bytes AS reserved_at_peak_bytes,
  d.peak_reserved_bytes,
  d.first_allocated_bytes,
  d.last_allocated_bytes,
  o.cpu_op_id,
  o.cpu_op,
  p.slice_id
FROM state AS p
JOIN first_peak AS f
  ON f.trace_id = p.trace_id
  AND f.device_kind IS NOT DISTINCT FROM p.device_kind
  AND f.device_ordinal IS NOT DISTINCT FROM p.device_ordinal
  AND f.event_number = p.event_number
JOIN device_state AS d
  ON d.trace_id = p.trace_id
  AND d.device_kind IS NOT DISTINCT FROM p.device_kind
  AND d.device_ordinal IS NOT DISTINCT FROM p.device_ordinal
JOIN trace AS t ON t.id = p.trace_id
LEFT JOIN memory_event_op() AS o ON o.slice_id = p.slice_id
ORDER BY t.run_id, t.rank, p.trace_id, p.device_kind, p.device_ordinal
