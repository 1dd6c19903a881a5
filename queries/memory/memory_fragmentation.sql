/* ---
name = "memory_fragmentation"
version = 1
title = "Fragmentation of reserved memory in allocator snapshots"
help = """
Only traces with an allocator snapshot have rows. fragmentation is the share of free memory outside
the largest free block: 0 if all of it is contiguous. A request larger than largest_free_bytes must
reserve more, however much memory is free.
"""
grain = ["trace_id", "device_kind", "device_ordinal"]
requires = { schema = ">=6", queries = ["memory_segment_use@1"], rows = ["memory_segment"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "n_segments", "reserved_bytes",
  "allocated_bytes", "requested_bytes", "awaiting_bytes", "free_bytes", "rounding_bytes",
  "largest_free_bytes", "n_blocks", "n_free_blocks", "allocated_share", "fragmentation",
]

[column]
n_segments = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of segments" }

[column.allocated_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "allocated_bytes / reserved_bytes; NULL if reserved_bytes is 0"

[column.fragmentation]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "1 - largest_free_bytes / free_bytes; NULL if nothing is free"

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
