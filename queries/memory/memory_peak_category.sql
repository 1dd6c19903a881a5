/* ---
name = "memory_peak_category"
version = 1
title = "Memory at the peak by category: parameters, gradients, activations, ..."
help = """
Only devices with categorized events. Each category sums its own changes up to the peak of
memory_peak; memory allocated without a category, or before the first event, is in the row without a
category, so the rows add up to the peak. In a time window the peak is that of the events in it,
over all allocations before.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "category"]
requires = { schema = ">=6", queries = ["whole_memory_state@1", "memory_state@1"], rows = ["whole_memory_event"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "category", "peak_ts",
  "allocated_bytes", "share",
]

[column]
category.help = "parameter, gradient, activation, ...; NULL: unknown"
allocated_bytes = { type = "BIGINT", unit = "byte", help = "Bytes of this category allocated at the peak" }

[column.share]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Share of all bytes allocated at the peak; NULL if that is 0"

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
  FROM whole_memory_state() AS s
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
