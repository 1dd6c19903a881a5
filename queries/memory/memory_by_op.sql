/* ---
name = "memory_by_op"
version = 1
title = "Memory allocated and released by each operator itself"
help = """
An event counts for the innermost operator around it on its thread, not for enclosing ones. Releases
count for the operator that ran at the time, which is rarely the one that allocated. net_bytes
corresponds to PyTorch's self memory of an operator.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "cpu_op"]
requires = { schema = ">=6", queries = ["memory_event_op@1"], rows = ["memory_event"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "cpu_op", "n_allocations",
  "n_releases", "allocated_bytes", "released_bytes", "net_bytes", "largest_bytes",
  "allocated_share",
]

[column]
cpu_op.help = "Operator; NULL: outside operators"
n_allocations = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of allocations" }
n_releases = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of releases" }
allocated_bytes.help = "Sum of the allocations"
released_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Sum of the releases" }
net_bytes = { type = "BIGINT", unit = "byte", help = "allocated_bytes - released_bytes" }
largest_bytes = { type = "BIGINT", unit = "byte", nullable = true, help = "Largest allocation; NULL: none" }

[column.allocated_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of all bytes allocated on the device; NULL if there are none"

[changes]
1 = "first version"
--- */
WITH by_operator AS (
  SELECT
    m.trace_id,
    m.device_kind,
    m.device_ordinal,
    o.cpu_op,
    count(*) FILTER (WHERE m.bytes > 0) AS n_allocations,
    count(*) FILTER (WHERE m.bytes < 0) AS n_releases,
    sum(greatest(m.bytes, 0))::BIGINT AS allocated_bytes,
    sum(greatest(-m.bytes, 0))::BIGINT AS released_bytes,
    max(CASE WHEN m.bytes > 0 THEN m.bytes END) AS largest_bytes
  FROM memory_event AS m
  LEFT JOIN memory_event_op() AS o ON o.slice_id = m.slice_id
  WHERE m.bytes <> 0
  GROUP BY m.trace_id, m.device_kind, m.device_ordinal, o.cpu_op
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  b.device_kind,
  b.device_ordinal,
  b.cpu_op,
  b.n_allocations,
  b.n_releases,
  b.allocated_bytes,
  b.released_bytes,
  b.allocated_bytes - b.released_bytes AS net_bytes,
  b.largest_bytes,
  b.allocated_bytes / nullif(sum(b.allocated_bytes) OVER (
    PARTITION BY b.trace_id, b.device_kind, b.device_ordinal
  ), 0) AS allocated_share
FROM by_operator AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY
  t.run_id, t.rank, b.trace_id, b.device_kind, b.device_ordinal, b.allocated_bytes DESC,
  b.released_bytes DESC, b.cpu_op
