/* ---
name = "memory_state"
version = 1
title = "Every change of an allocator, and what it held afterwards"
help = """
One row an event of memory_event, numbered in order of time and, at one time, of slice_id.
allocated_bytes and reserved_bytes are what the source says; where it says nothing, allocated_bytes
adds up the changes of the device so far, from 0 at the first event seen.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=6" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

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
name = "event_number"
type = "BIGINT"
unit = "count"
help = "The event's place among those of its device, from 1"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The instant that recorded it; NULL: there is none"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
help = "When, on the scale of slice.ts"

[[column]]
name = "address"
type = "UBIGINT"
unit = "address"
nullable = true
help = "Of the block, if said"

[[column]]
name = "change_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated; negative: released; 0: neither"

[[column]]
name = "allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated afterwards"

[[column]]
name = "reserved_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Reserved by the allocator afterwards; NULL: the source does not say"

[[column]]
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "What it is for, where the source says"

[[column]]
name = "call_stack_id"
type = "BIGINT"
unit = "ref call_frame.call_stack_id"
nullable = true
help = "The calls that led to it, if recorded"

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  device_kind,
  device_ordinal,
  row_number() OVER device_order AS event_number,
  slice_id,
  ts,
  address,
  coalesce(bytes, 0) AS change_bytes,
  coalesce(
    total_allocated_bytes, (sum(coalesce(bytes, 0)) OVER device_order)::BIGINT
  ) AS allocated_bytes,
  total_reserved_bytes AS reserved_bytes,
  category,
  call_stack_id
FROM memory_event
WINDOW device_order AS (
  PARTITION BY trace_id, device_kind, device_ordinal
  ORDER BY ts, slice_id, address, bytes ROWS UNBOUNDED PRECEDING
)
ORDER BY trace_id, device_kind, device_ordinal, event_number
