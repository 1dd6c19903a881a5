/* ---
name = "memory_snapshot_segment"
version = 1
title = "Segments of an allocator snapshot by use"
help = """
Only traces with an allocator snapshot have rows. Reserved memory is allocated, awaiting release, or
free; a segment whose blocks are all free can be returned to the driver.
"""
grain = ["memory_segment_id"]
requires = { schema = ">=6", queries = ["memory_segment_use@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "memory_segment_id", "address",
  "stream", "kind", "pool", "reserved_bytes", "allocated_bytes", "requested_bytes",
  "awaiting_bytes", "free_bytes", "rounding_bytes", "largest_free_bytes", "n_blocks",
  "n_free_blocks", "free_share",
]

[column]
address = { nullable = true, help = "Start address" }
stream = { type = "BIGINT", unit = "source id", nullable = true, help = "Stream of the segment" }
kind = { nullable = true, help = "small or large" }
pool = { type = "VARCHAR", unit = "text", nullable = true, help = "Memory pool id; 0.0 is the default pool" }

[column.free_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "free_bytes / reserved_bytes; NULL if reserved_bytes is 0"

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
