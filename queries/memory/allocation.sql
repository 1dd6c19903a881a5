/* ---
name = "allocation"
version = 2
title = "Allocations with size, lifetime and release state"
help = """
On one device, an allocation ends with the next event at its address: a release (released), or
another allocation (reused: the release was not recorded); without such an event it is live: not
released during the recording. A release without a preceding allocation (found) ends one that was
not recorded. Sources without addresses have no rows. A time window contains the allocations whose
life reaches into it: one that ends where the window begins does not.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "address", "event_number"]
requires = { schema = ">=6", queries = ["memory_block_life@2", "memory_event_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "event_number", "slice_id",
  "address", "bytes", "ts", "release_ts", "lifetime_ns", "outcome", "category", "cpu_op_id",
  "cpu_op", "call_stack_id",
]

[column]
slice_id = { nullable = true, help = "Instant that recorded the allocation; the release if the outcome is found" }
bytes = { type = "BIGINT", unit = "byte", check = "> 0", help = "Size of the block" }
ts = { nullable = true, help = "Time of the allocation, on the time axis of slice.ts; NULL: not recorded" }
category.help = "Purpose of the memory, if recorded"
cpu_op_id.help = "Innermost operator around the event; NULL: none"

[column.lifetime_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from allocation to release; NULL: one of them is unknown"

[changes]
2 = "a time window excludes lives that end before it, also by another allocation"
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_kind,
  a.device_ordinal,
  a.event_number,
  a.slice_id,
  a.address,
  a.bytes,
  a.ts,
  a.release_ts,
  a.release_ts - a.ts AS lifetime_ns,
  a.outcome,
  a.category,
  o.cpu_op_id,
  o.cpu_op,
  a.call_stack_id
FROM memory_block_life() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN memory_event_op() AS o ON o.slice_id = a.slice_id
ORDER BY t.run_id, t.rank, a.trace_id, a.device_kind, a.device_ordinal, a.event_number
