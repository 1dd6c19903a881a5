/* ---
name = "memory_timeline"
version = 1
title = "Memory allocated and reserved over time on each device"
help = """
One row an instant at which an allocator did anything, with what it held after the last thing it did
at that instant. Sources that do not say how much is allocated count from 0 at their first event.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "ts"]
requires = { schema = ">=6", queries = ["memory_state@1"] }

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
name = "ts"
type = "BIGINT"
unit = "ns"
help = "When, on the scale of slice.ts"

[[column]]
name = "n_events"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Events at this instant"

[[column]]
name = "change_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated at this instant less what was released"

[[column]]
name = "allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated from here until the next row"

[[column]]
name = "reserved_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Reserved from here until the next row; NULL: the source does not say"

[[column]]
name = "peak_allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Most that was allocated up to and including this instant"

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
  FROM memory_state()
  GROUP BY trace_id, device_kind, device_ordinal, ts
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
  max(i.most_bytes) OVER (
    PARTITION BY i.trace_id, i.device_kind, i.device_ordinal
    ORDER BY i.ts ROWS UNBOUNDED PRECEDING
  ) AS peak_allocated_bytes
FROM instant AS i
JOIN trace AS t ON t.id = i.trace_id
ORDER BY t.run_id, t.rank, i.trace_id, i.device_kind, i.device_ordinal, i.ts
