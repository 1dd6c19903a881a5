/* ---
name = "whole_memory_state"
version = 1
title = "Allocator state after each event, inside and outside of the time window"
help = """
One row per event of the traces in scope, numbered by time and, at equal times, by the order of the
source, or by slice_id if that is not recorded. allocated_bytes and reserved_bytes are the recorded
values. Without one, allocated_bytes is the last recorded one of the device plus the changes since, or,
before the first, that one less the changes until then; where none is recorded, the running sum of the
changes from 0.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=16" }
scale = "trace"
columns = [
  "trace_id", "device_kind", "device_ordinal", "event_number", "slice_id", "ts", "address",
  "change_bytes", "allocated_bytes", "reserved_bytes", "category", "call_stack_id",
]

[column]
event_number.help = "Number of the event among those of its device, from 1"
slice_id = { nullable = true, help = "Instant that recorded the event; NULL: none" }
ts.help = "Time, on the time axis of slice.ts"
address = { nullable = true, help = "Address of the block, if recorded" }
allocated_bytes = { type = "BIGINT", unit = "byte", help = "Allocated bytes after the event" }
category.help = "Purpose of the memory, if recorded"
call_stack_id.help = "Call stack of the event, if recorded"

[column.change_bytes]
type = "BIGINT"
unit = "byte"
help = "Bytes allocated (positive) or released (negative); 0: neither"

[column.reserved_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes reserved by the allocator after the event; NULL: not recorded"

[changes]
1 = "first version"
--- */
WITH changed AS (
  SELECT
    *,
    row_number() OVER device_order AS event_number,
    sum(coalesce(bytes, 0)) OVER device_order AS changed_bytes,
    count(total_allocated_bytes) OVER device_order AS n_recorded
  FROM whole_memory_event
  WINDOW device_order AS (
    PARTITION BY trace_id, device_kind, device_ordinal
    ORDER BY ts, source_order, slice_id, address, bytes ROWS UNBOUNDED PRECEDING
  )
),
-- What was allocated beside the changes: recorded by the first event of each n_recorded but 0.
based AS (
  SELECT
    *,
    max(total_allocated_bytes - changed_bytes) OVER (
      PARTITION BY trace_id, device_kind, device_ordinal, n_recorded
    ) AS base_bytes,
    max(CASE WHEN n_recorded = 1 THEN total_allocated_bytes - changed_bytes END) OVER (
      PARTITION BY trace_id, device_kind, device_ordinal
    ) AS first_base_bytes
  FROM changed
)
SELECT
  trace_id,
  device_kind,
  device_ordinal,
  event_number,
  slice_id,
  ts,
  address,
  coalesce(bytes, 0) AS change_bytes,
  coalesce(
    total_allocated_bytes, (changed_bytes + coalesce(base_bytes, first_base_bytes, 0))::BIGINT
  ) AS allocated_bytes,
  total_reserved_bytes AS reserved_bytes,
  category,
  call_stack_id
FROM based
