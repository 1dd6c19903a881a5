/* ---
name = "memory_block_life"
version = 1
title = "Allocations matched with their releases by address"
help = """
On one device, an allocation ends with the next event at its address: a release (released), or
another allocation (reused: the release was not recorded); or there is none (live). A release
without an allocation before it (found) ends one that was not recorded. Events without an address
are left out.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "event_number"]
requires = { schema = ">=6", queries = ["memory_state@1"] }

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
help = "Place of the allocation among the events of its device; of the release where it was found"

[[column]]
name = "end_number"
type = "BIGINT"
unit = "count"
nullable = true
help = "Place of what ended it; NULL: nothing did"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The instant that recorded the allocation, or the release where it was found"

[[column]]
name = "address"
type = "UBIGINT"
unit = "address"
help = "Of the block"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
check = "> 0"
help = "Its size"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
nullable = true
help = "When it was allocated, on the scale of slice.ts; NULL: that was not recorded"

[[column]]
name = "release_ts"
type = "BIGINT"
unit = "ns"
nullable = true
help = "When it was released; NULL: it was not, or that was not recorded"

[[column]]
name = "outcome"
type = "VARCHAR"
unit = "text"
check = "IN ('released', 'live', 'reused', 'found')"
help = "released, live, reused or found"

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
help = "The calls that led to the allocation, if recorded"

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
  FROM memory_state()
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
ORDER BY trace_id, device_kind, device_ordinal, event_number
