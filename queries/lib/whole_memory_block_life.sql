/* ---
name = "whole_memory_block_life"
version = 1
title = "Allocations matched with their releases by address, inside and outside of the time window"
help = """
On one device, an allocation ends with the next event at its address: a release (released), or
another allocation (reused: the release was not recorded); without such an event it is live. A
release without a preceding allocation (found) ends one that was not recorded. Events without an
address are excluded. end_ts is the time of the event that ended it, also of one that was reused.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=6", queries = ["whole_memory_state@1"] }
scale = "trace"
columns = [
  "trace_id", "device_kind", "device_ordinal", "event_number", "end_number", "slice_id", "address",
  "bytes", "ts", "release_ts", "end_ts", "outcome", "category", "call_stack_id",
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

[column.end_ts]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time of that event; NULL: none"

[changes]
1 = "first version"
--- */
WITH marked AS (
  SELECT
    *,
    lag(change_bytes) OVER at_address AS previous_bytes,
    lead(change_bytes) OVER at_address AS next_bytes,
    lead(ts) OVER at_address AS next_ts,
    lead(event_number) OVER at_address AS next_number
  FROM whole_memory_state()
  WHERE change_bytes <> 0 AND address IS NOT NULL
  WINDOW at_address AS (
    PARTITION BY trace_id, device_kind, device_ordinal, address ORDER BY event_number
  )
)
SELECT
  trace_id,
  device_kind,
  device_ordinal,
  event_number,
  CASE WHEN change_bytes > 0 THEN next_number ELSE event_number END AS end_number,
  slice_id,
  address,
  abs(change_bytes) AS bytes,
  CASE WHEN change_bytes > 0 THEN ts END AS ts,
  CASE WHEN change_bytes < 0 THEN ts WHEN next_bytes < 0 THEN next_ts END AS release_ts,
  CASE WHEN change_bytes < 0 THEN ts ELSE next_ts END AS end_ts,
  CASE
    WHEN change_bytes < 0 THEN 'found'
    WHEN next_bytes IS NULL THEN 'live'
    WHEN next_bytes < 0 THEN 'released'
    ELSE 'reused'
  END AS outcome,
  category,
  CASE WHEN change_bytes > 0 THEN call_stack_id END AS call_stack_id
FROM marked
WHERE change_bytes > 0 OR coalesce(previous_bytes, -1) < 0
