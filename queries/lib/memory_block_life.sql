/* ---
name = "memory_block_life"
version = 2
title = "Allocations matched with their releases by address"
help = """
On one device, an allocation ends with the next event at its address: a release (released), or
another allocation (reused: the release was not recorded); without such an event it is live. A
release without a preceding allocation (found) ends one that was not recorded. Events without an
address are excluded. A time window contains the allocations whose life reaches into it: one that ends
where the window begins does not.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=6", queries = ["whole_memory_block_life@1"] }
scale = "trace"
columns = [
  "trace_id", "device_kind", "device_ordinal", "event_number", "end_number", "slice_id", "address",
  "bytes", "ts", "release_ts", "outcome", "category", "call_stack_id",
]

[column]
slice_id = { nullable = true, help = "Instant that recorded the allocation; the release if the outcome is found" }
bytes = { type = "BIGINT", unit = "byte", check = "> 0", help = "Size of the block" }
ts = { nullable = true, help = "Time of the allocation, on the time axis of slice.ts; NULL: not recorded" }
category.help = "Purpose of the memory, if recorded"

[column.end_number]
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the event that ended it; NULL: none"

[changes]
2 = "a time window excludes lives that end before it, also by another allocation"
1 = "first version"
--- */
SELECT
  f.trace_id,
  f.device_kind,
  f.device_ordinal,
  f.event_number,
  f.end_number,
  f.slice_id,
  f.address,
  f.bytes,
  f.ts,
  f.release_ts,
  f.outcome,
  f.category,
  f.call_stack_id
FROM whole_memory_block_life() AS f
CROSS JOIN time_window AS w
WHERE coalesce(f.ts, w.from_ns) < w.to_ns
  AND (f.ts >= w.from_ns OR f.end_ts > w.from_ns OR f.end_ts IS NULL)
