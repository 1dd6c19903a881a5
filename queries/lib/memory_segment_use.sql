/* ---
name = "memory_segment_use"
version = 1
title = "What the blocks of each segment of an allocator are in use for"
help = """
One row a segment, as the snapshot found it. A block that does not say what was asked for counts
with its whole size.
"""
grain = ["memory_segment_id"]
requires = { schema = ">=6" }

[[column]]
name = "memory_segment_id"
type = "BIGINT"
unit = "ref memory_segment.id"
help = "The segment"

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
