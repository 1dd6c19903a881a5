/* ---
name = "memory_segment_use"
version = 1
title = "Use of the blocks of each allocator segment"
help = """
One row per segment of the snapshot. A block without a recorded requested size counts with its whole
size.
"""
grain = ["memory_segment_id"]
requires = { schema = ">=6" }
scale = "trace"
columns = [
  "memory_segment_id", "trace_id", "device_kind", "device_ordinal", "reserved_bytes",
  "allocated_bytes", "requested_bytes", "awaiting_bytes", "free_bytes", "rounding_bytes",
  "largest_free_bytes", "n_blocks", "n_free_blocks",
]

[changes]
1 = "first version"
--- */
WITH used AS (
  SELECT
    memory_segment_id,
    coalesce(sum(bytes) FILTER (WHERE state = 'active_allocated'), 0)::BIGINT AS allocated_bytes,
    coalesce(sum(coalesce(requested_bytes, bytes)) FILTER (WHERE state = 'active_allocated'), 0)::BIGINT
      AS requested_bytes,
    coalesce(sum(bytes) FILTER (WHERE state NOT IN ('active_allocated', 'inactive')), 0)::BIGINT
      AS awaiting_bytes,
    coalesce(sum(bytes) FILTER (WHERE state = 'inactive'), 0)::BIGINT AS free_bytes,
    coalesce(max(bytes) FILTER (WHERE state = 'inactive'), 0) AS largest_free_bytes,
    count(*) AS n_blocks,
    count(*) FILTER (WHERE state = 'inactive') AS n_free_blocks
  FROM memory_block
  GROUP BY memory_segment_id
)
SELECT
  s.id AS memory_segment_id,
  s.trace_id,
  s.device_kind,
  s.device_ordinal,
  coalesce(s.reserved_bytes, 0) AS reserved_bytes,
  coalesce(u.allocated_bytes, 0) AS allocated_bytes,
  coalesce(u.requested_bytes, 0) AS requested_bytes,
  coalesce(u.awaiting_bytes, 0) AS awaiting_bytes,
  coalesce(u.free_bytes, 0) AS free_bytes,
  coalesce(u.allocated_bytes - u.requested_bytes, 0) AS rounding_bytes,
  coalesce(u.largest_free_bytes, 0) AS largest_free_bytes,
  coalesce(u.n_blocks, 0) AS n_blocks,
  coalesce(u.n_free_blocks, 0) AS n_free_blocks
FROM memory_segment AS s
LEFT JOIN used AS u ON u.memory_segment_id = s.id
ORDER BY s.id
