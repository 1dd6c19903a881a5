/* ---
name = "memory_fragmentation"
version = 1
title = "How well an allocator used what it had reserved, when its snapshot was taken"
help = """
Only traces with a snapshot of an allocator have rows. fragmentation is the part of the free memory
that lies outside of the largest free block: 0 when all of it is in one piece. A request larger than
largest_free_bytes must reserve more, however much is free.
"""
grain = ["trace_id", "device_kind", "device_ordinal"]
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
name = "n_segments"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Segments"

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
name = "allocated_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "allocated_bytes / reserved_bytes; NULL when that is 0"

[[column]]
name = "fragmentation"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "1 - largest_free_bytes / free_bytes; NULL when nothing is free"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  u.device_kind,
  u.device_ordinal,
  count(*) AS n_segments,
  sum(u.reserved_bytes)::BIGINT AS reserved_bytes,
  sum(u.allocated_bytes)::BIGINT AS allocated_bytes,
  sum(u.requested_bytes)::BIGINT AS requested_bytes,
  sum(u.awaiting_bytes)::BIGINT AS awaiting_bytes,
  sum(u.free_bytes)::BIGINT AS free_bytes,
  sum(u.rounding_bytes)::BIGINT AS rounding_bytes,
  max(u.largest_free_bytes) AS largest_free_bytes,
  sum(u.n_blocks)::BIGINT AS n_blocks,
  sum(u.n_free_blocks)::BIGINT AS n_free_blocks,
  sum(u.allocated_bytes) / nullif(sum(u.reserved_bytes), 0) AS allocated_share,
  1 - max(u.largest_free_bytes) / nullif(sum(u.free_bytes), 0) AS fragmentation
FROM memory_segment_use() AS u
JOIN trace AS t ON t.id = u.trace_id
GROUP BY t.run_id, u.trace_id, t.rank, u.device_kind, u.device_ordinal
ORDER BY t.run_id, t.rank, u.trace_id, u.device_kind, u.device_ordinal
