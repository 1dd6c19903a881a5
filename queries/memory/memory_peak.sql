/* ---
name = "memory_peak"
version = 1
title = "The peak of allocated memory on each device, and what ran then"
help = """
The peak is the first event after which most was allocated. Its operator is the innermost cpu_op
around the event on its thread: the allocation that made the peak.
"""
grain = ["trace_id", "device_kind", "device_ordinal"]
portable = false
requires = { schema = ">=6", queries = ["memory_state@1", "memory_event_op@1"] }

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
name = "device_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "cpu, cuda, hip, ...; NULL: the source does not say"

[[column]]
name = "device_ordinal"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts; -1 for the host; NULL: not said"

[[column]]
name = "n_events"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Events of the allocator"

[[column]]
name = "peak_ts"
type = "BIGINT"
unit = "ns"
help = "When the peak was reached, on the scale of slice.ts"

[[column]]
name = "peak_allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated then, the most of the trace"

[[column]]
name = "reserved_at_peak_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Reserved then; NULL: the source does not say"

[[column]]
name = "peak_reserved_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Most that was reserved at any time; NULL: the source does not say"

[[column]]
name = "first_allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated before the first event"

[[column]]
name = "last_allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated after the last event"

[[column]]
name = "cpu_op_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The operator that reached the peak; NULL: there is none"

[[column]]
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The event that reached the peak; NULL: it is no slice"

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
