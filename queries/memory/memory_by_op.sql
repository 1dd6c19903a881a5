/* ---
name = "memory_by_op"
version = 1
title = "Memory allocated and released by each operator itself"
help = """
An event counts for the innermost operator around it on its thread, not for those further out.
Releases count for the operator that ran when they happened, which is seldom the one that
allocated. net_bytes is what PyTorch calls the operator's self memory.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "cpu_op"]
portable = false
requires = { schema = ">=6", queries = ["memory_event_op@1"] }

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
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The operator; NULL: outside of all operators"

[[column]]
name = "n_allocations"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Allocations"

[[column]]
name = "n_releases"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Releases"

[[column]]
name = "allocated_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Sum of the allocations"

[[column]]
name = "released_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Sum of the releases"

[[column]]
name = "net_bytes"
type = "BIGINT"
unit = "byte"
help = "allocated_bytes less released_bytes"

[[column]]
name = "largest_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Largest allocation; NULL: it only releases"

[[column]]
name = "allocated_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "allocated_bytes of all that was allocated on the device; NULL when that is 0"

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
