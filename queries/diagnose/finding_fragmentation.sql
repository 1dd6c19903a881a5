/* ---
name = "finding_fragmentation"
version = 1
title = "Finding: free memory of the allocator is in many pieces"
help = """
Free memory in an allocator snapshot of which at least half lies outside the largest free block, and which is at
least 10 % of what is reserved. Of the devices of the run the one with most such memory counts. What that
costs is unknown: larger requests reserve more memory, or fail.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=6", queries = ["memory_segment_use@1"], rows = ["memory_segment"] }
scale = "run"
needs = "a snapshot of the allocator (torch.cuda.memory._snapshot())"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'fragmentation'"
subject.help = "Device, and share of its free memory outside the largest block"
n_events.help = "Number of free blocks"
bound_ns.help = "NULL: unknown"

[changes]
1 = "first version"
--- */
WITH used AS (
  SELECT
    trace_id,
    device_kind,
    device_ordinal,
    sum(reserved_bytes) AS reserved_bytes,
    sum(free_bytes) AS free_bytes,
    max(largest_free_bytes) AS largest_bytes,
    sum(n_free_blocks)::BIGINT AS n_blocks
  FROM memory_segment_use()
  GROUP BY trace_id, device_kind, device_ordinal
)
SELECT
  t.run_id,
  'fragmentation' AS finding,
  format(
    '{} {}: {:.1f} % of free memory', coalesce(u.device_kind, 'device'), coalesce(u.device_ordinal, 0),
    100 * (1 - u.largest_bytes / u.free_bytes)
  ) AS subject,
  t.rank,
  NULL::VARCHAR AS location,
  u.n_blocks AS n_events,
  NULL::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'memory_fragmentation' AS evidence,
  'Free memory of the allocator is outside its largest free block' AS sentence,
  'Use fewer different sizes (buckets of lengths), or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True' AS remedy
FROM used AS u
JOIN trace AS t ON t.id = u.trace_id
WHERE u.free_bytes >= 0.1 * u.reserved_bytes AND u.free_bytes > 0 AND u.largest_bytes <= u.free_bytes / 2
QUALIFY row_number() OVER (
  PARTITION BY t.run_id ORDER BY u.free_bytes - u.largest_bytes DESC, u.trace_id, u.device_kind, u.device_ordinal
) = 1
ORDER BY t.run_id
