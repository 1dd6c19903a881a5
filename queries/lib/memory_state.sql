/* ---
name = "memory_state"
version = 1
title = "Allocator state after each event"
help = """
One row per event in the time window; events are numbered, and states computed, over the whole
trace: by time and, at equal times, by the order of the source, or by slice_id if that is not
recorded. allocated_bytes and reserved_bytes are those of whole_memory_state.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=16", queries = ["whole_memory_state@1"] }
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
SELECT
  m.trace_id,
  m.device_kind,
  m.device_ordinal,
  m.event_number,
  m.slice_id,
  m.ts,
  m.address,
  m.change_bytes,
  m.allocated_bytes,
  m.reserved_bytes,
  m.category,
  m.call_stack_id
FROM whole_memory_state() AS m
CROSS JOIN time_window AS w
WHERE m.ts >= w.from_ns
  AND m.ts < w.to_ns
