/* ---
name = "memory_snapshot_segment"
version = 1
title = "Segments of an allocator when its snapshot was taken, and what they were in use for"
help = """
Only traces with a snapshot of an allocator have rows. Reserved memory is allocated, awaiting its
release, or free; a segment whose blocks are all free can be given back to the driver.
"""
grain = ["memory_segment_id"]
requires = { schema = ">=6", queries = ["memory_segment_use@1"] }

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
name = "memory_segment_id"
type = "BIGINT"
unit = "ref memory_segment.id"
help = "The segment"

[[column]]
name = "address"
type = "UBIGINT"
unit = "address"
nullable = true
help = "Where it begins"

[[column]]
name = "stream"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The stream it serves"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "small or large"

[[column]]
name = "pool"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Id of the memory pool; 0.0 is the default one"

[[column]]
name = "reserved_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Reserved from the driver"

[[column]]
name = "allocated_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Of it in blocks in use"

[[column]]
name = "requested_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Asked for by those in use, before rounding"

[[column]]
name = "awaiting_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "In blocks released and not free yet, because other streams may still use them"

[[column]]
name = "free_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "In free blocks"

[[column]]
name = "rounding_bytes"
type = "BIGINT"
unit = "byte"
help = "allocated_bytes less requested_bytes: lost inside the blocks"

[[column]]
name = "largest_free_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "The largest free block: the most that can be allocated here without reserving more"

[[column]]
name = "n_blocks"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Blocks"

[[column]]
name = "n_free_blocks"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Free blocks"

[[column]]
name = "free_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "free_bytes / reserved_bytes; NULL when that is 0"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  u.device_kind,
  u.device_ordinal,
  u.memory_segment_id,
  s.address,
  s.stream,
  s.kind,
  s.pool,
  u.reserved_bytes,
  u.allocated_bytes,
  u.requested_bytes,
  u.awaiting_bytes,
  u.free_bytes,
  u.rounding_bytes,
  u.largest_free_bytes,
  u.n_blocks,
  u.n_free_blocks,
  u.free_bytes / nullif(u.reserved_bytes, 0) AS free_share
FROM memory_segment_use() AS u
JOIN memory_segment AS s ON s.id = u.memory_segment_id
JOIN trace AS t ON t.id = u.trace_id
ORDER BY
  t.run_id, t.rank, u.trace_id, u.device_kind, u.device_ordinal, u.reserved_bytes DESC, s.address,
  u.memory_segment_id
