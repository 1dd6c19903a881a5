/* ---
name = "memory_timeline"
version = 1
title = "Allocated and reserved memory over time per device"
help = """
One row per instant with allocator activity, with the state after the last event at that instant.
For sources without recorded totals, allocated memory counts from 0 at the first event. In a time
window, sizes count all events of the trace.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "ts"]
requires = { schema = ">=6", queries = ["whole_memory_state@1"], rows = ["whole_memory_event"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "ts", "n_events", "change_bytes",
  "allocated_bytes", "reserved_bytes", "peak_allocated_bytes",
]

[column]
ts.help = "Time, on the time axis of slice.ts"
n_events = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of events at this instant" }
change_bytes = { type = "BIGINT", unit = "byte", help = "Allocated minus released bytes at this instant" }
allocated_bytes = { type = "BIGINT", unit = "byte", help = "Allocated bytes from this instant until the next row" }

[column.reserved_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes reserved from this instant until the next row; NULL: not recorded"

[column.peak_allocated_bytes]
type = "BIGINT"
unit = "byte"
help = "Maximum of allocated bytes up to and including this instant"

[changes]
1 = "first version"
--- */
WITH instant AS (
  SELECT
    trace_id,
    device_kind,
    device_ordinal,
    ts,
    count(*) AS n_events,
    sum(change_bytes)::BIGINT AS change_bytes,
    max_by(allocated_bytes, event_number) AS allocated_bytes,
    max_by(reserved_bytes, event_number) AS reserved_bytes,
    max(allocated_bytes) AS most_bytes
  FROM whole_memory_state()
  GROUP BY trace_id, device_kind, device_ordinal, ts
),
peaked AS (
  SELECT
    *,
    max(most_bytes) OVER (
      PARTITION BY trace_id, device_kind, device_ordinal ORDER BY ts ROWS UNBOUNDED PRECEDING
    ) AS peak_allocated_bytes
  FROM instant
)
SELECT
  t.run_id,
  i.trace_id,
  t.rank,
  i.device_kind,
  i.device_ordinal,
  i.ts,
  i.n_events,
  i.change_bytes,
  i.allocated_bytes,
  i.reserved_bytes,
  i.peak_allocated_bytes
FROM peaked AS i
JOIN trace AS t ON t.id = i.trace_id
CROSS JOIN time_window AS w
WHERE i.ts >= w.from_ns
  AND i.ts < w.to_ns
ORDER BY t.run_id, t.rank, i.trace_id, i.device_kind, i.device_ordinal, i.ts
