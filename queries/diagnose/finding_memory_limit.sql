/* ---
name = "finding_memory_limit"
version = 1
title = "Finding: memory of a device is nearly used up"
help = """
At least 90 % of the memory of a device is reserved by the allocator at the same time. Of the devices of the
run the one with the largest share counts. What that costs is unknown: allocations may fail, or wait until
memory is released and reserved again (finding_allocation).
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=16", queries = ["memory_state@1", "memory_event_op@1"], rows = ["memory_event where total_reserved_bytes IS NOT NULL", "device where memory_bytes IS NOT NULL"] }
scale = "run"
needs = "allocator events with reserved bytes (PyTorch records them with profile_memory=True), and the size of the memory of the device"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'memory_limit'"
subject.help = "Device, and share of its memory"
location.help = "Operator that first reserved most; NULL: none"
n_events.help = "Number of allocator events after which at least 90 % were reserved"
bound_ns.help = "NULL: unknown"

[changes]
1 = "first version"
--- */
WITH full_state AS (
  SELECT t.run_id, t.rank, s.trace_id, s.device_ordinal, s.slice_id, s.reserved_bytes, s.event_number, d.memory_bytes
  FROM memory_state() AS s
  JOIN trace AS t ON t.id = s.trace_id
  JOIN device AS d ON d.trace_id = s.trace_id AND d.ordinal = s.device_ordinal AND d.kind = 'gpu'
  WHERE s.device_kind <> 'cpu' AND s.reserved_bytes >= 0.9 * d.memory_bytes
),
by_device AS (
  SELECT
    run_id,
    rank,
    trace_id,
    device_ordinal,
    count(*) AS n_events,
    max(reserved_bytes / memory_bytes) AS share,
    min_by(slice_id, (-reserved_bytes, event_number)) AS slice_id
  FROM full_state
  GROUP BY run_id, rank, trace_id, device_ordinal
)
SELECT
  b.run_id,
  'memory_limit' AS finding,
  format('device {}: {:.1f} % of its memory', b.device_ordinal, 100 * b.share) AS subject,
  b.rank,
  o.cpu_op AS location,
  b.n_events,
  NULL::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'memory_peak' AS evidence,
  'The allocator reserves nearly all memory' AS sentence,
  'Use smaller batches, activation checkpointing, or sharded optimizer states; limit what other processes use' AS remedy
FROM by_device AS b
LEFT JOIN memory_event_op() AS o ON o.slice_id = b.slice_id
QUALIFY row_number() OVER (PARTITION BY b.run_id ORDER BY b.share DESC, b.trace_id, b.device_ordinal) = 1
ORDER BY b.run_id
