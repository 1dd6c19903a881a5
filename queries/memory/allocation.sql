/* ---
name = "allocation"
version = 1
title = "Every allocation: its size, its lifetime, and whether it was released"
help = """
On one device, an allocation ends with the next event at its address: a release (released), or
another allocation (reused: the release was not recorded); or there is none (live: never released
while the recording lasted). A release without an allocation before it (found) ends one that was not
recorded. Sources that record no addresses have no rows.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "address", "event_number"]
portable = false
requires = { schema = ">=6", queries = ["memory_block_life@1", "memory_event_op@1"] }

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
name = "event_number"
type = "BIGINT"
unit = "count"
help = "Place of the allocation among the events of its device; of the release where it was found"

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
name = "lifetime_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From allocation to release; NULL: one of them is not known"

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
name = "cpu_op_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The innermost operator around the event; NULL: there is none"

[[column]]
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "call_stack_id"
type = "BIGINT"
unit = "ref call_frame.call_stack_id"
nullable = true
help = "The calls that led to the allocation, if recorded"

[changes]
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
