/* ---
name = "memory_peak_category"
version = 1
title = "What the memory at the peak was for: parameters, gradients, activations, ..."
help = """
Only devices some of whose events have a category. Each category adds up its own changes until the
peak of memory_peak; what the source allocated without one, or before its first event, is in the
row without a category, so that the rows add up to the peak.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "category"]
requires = { schema = ">=6", queries = ["memory_state@1"] }

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
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "parameter, gradient, activation, ...; NULL: not known"

[[column]]
name = "peak_ts"
type = "BIGINT"
unit = "ns"
help = "When the peak was reached, on the scale of slice.ts"

[[column]]
name = "allocated_bytes"
type = "BIGINT"
unit = "byte"
help = "Allocated for it then"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "allocated_bytes of all that was allocated then; NULL when that is 0"

[changes]
1 = "first version"
--- */
WITH state AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id, device_kind, device_ordinal
      ORDER BY allocated_bytes DESC, event_number
    ) AS place
  FROM memory_state()
),
peak AS (
  SELECT trace_id, device_kind, device_ordinal, event_number, ts, allocated_bytes
  FROM state
  WHERE place = 1
),
by_category AS (
  SELECT
    s.trace_id,
    s.device_kind,
    s.device_ordinal,
    s.category,
    sum(CASE WHEN s.event_number <= p.event_number THEN s.change_bytes ELSE 0 END)::BIGINT
      AS allocated_bytes
  FROM state AS s
  JOIN peak AS p
    ON p.trace_id = s.trace_id
    AND p.device_kind IS NOT DISTINCT FROM s.device_kind
    AND p.device_ordinal IS NOT DISTINCT FROM s.device_ordinal
  WHERE s.category IS NOT NULL
  GROUP BY s.trace_id, s.device_kind, s.device_ordinal, s.category
),
with_rest AS (
  SELECT trace_id, device_kind, device_ordinal, category, allocated_bytes FROM by_category
  UNION ALL
  SELECT
    p.trace_id,
    p.device_kind,
    p.device_ordinal,
    NULL,
    (any_value(p.allocated_bytes) - sum(c.allocated_bytes))::BIGINT
  FROM peak AS p
  JOIN by_category AS c
    ON c.trace_id = p.trace_id
    AND c.device_kind IS NOT DISTINCT FROM p.device_kind
    AND c.device_ordinal IS NOT DISTINCT FROM p.device_ordinal
  GROUP BY p.trace_id, p.device_kind, p.device_ordinal
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.device_kind,
  c.device_ordinal,
  c.category,
  p.ts AS peak_ts,
  c.allocated_bytes,
  c.allocated_bytes / nullif(p.allocated_bytes, 0) AS share
FROM with_rest AS c
JOIN peak AS p
  ON p.trace_id = c.trace_id
  AND p.device_kind IS NOT DISTINCT FROM c.device_kind
  AND p.device_ordinal IS NOT DISTINCT FROM c.device_ordinal
JOIN trace AS t ON t.id = c.trace_id
ORDER BY
  t.run_id, t.rank, c.trace_id, c.device_kind, c.device_ordinal, c.allocated_bytes DESC, c.category
