/* ---
name = "memory_category_timeline"
version = 1
title = "Memory over time by category (parameters, gradients, activations)"
help = """
Only devices with categorized events. A row for each instant with allocator activity and each
category of the device, with the state after the last event at that instant. Each category sums its
own changes; memory allocated without a category, or before the first event, is in the rows without
a category, so the categories of an instant add up to allocated_bytes of memory_timeline. In a time
window, sizes count all events of the trace.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "category", "ts"]
requires = { schema = ">=16", queries = ["whole_memory_state@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "category", "ts",
  "allocated_bytes",
]

[column]
category.help = "parameter, gradient, activation, ...; NULL: unknown"
ts.help = "Time, on the time axis of slice.ts"

[column.allocated_bytes]
type = "BIGINT"
unit = "byte"
help = "Bytes of this category allocated from this instant until its next row"

[changes]
1 = "first version"
--- */
WITH state AS MATERIALIZED (
  SELECT trace_id, device_kind, device_ordinal, event_number, ts, category, change_bytes, allocated_bytes
  FROM whole_memory_state()
),
used AS (
  SELECT DISTINCT trace_id, device_kind, device_ordinal, category
  FROM state
  WHERE category IS NOT NULL
),
instant AS (
  SELECT
    trace_id, device_kind, device_ordinal, ts, max_by(allocated_bytes, event_number) AS allocated_bytes
  FROM state
  GROUP BY trace_id, device_kind, device_ordinal, ts
),
changed AS (
  SELECT trace_id, device_kind, device_ordinal, ts, category, sum(change_bytes) AS change_bytes
  FROM state
  WHERE category IS NOT NULL
  GROUP BY trace_id, device_kind, device_ordinal, ts, category
),
by_category AS (
  SELECT
    i.trace_id,
    i.device_kind,
    i.device_ordinal,
    u.category,
    i.ts,
    sum(coalesce(c.change_bytes, 0)) OVER (
      PARTITION BY i.trace_id, i.device_kind, i.device_ordinal, u.category
      ORDER BY i.ts ROWS UNBOUNDED PRECEDING
    ) AS allocated_bytes
  FROM instant AS i
  JOIN used AS u
    ON u.trace_id = i.trace_id
    AND u.device_kind IS NOT DISTINCT FROM i.device_kind
    AND u.device_ordinal IS NOT DISTINCT FROM i.device_ordinal
  LEFT JOIN changed AS c
    ON c.trace_id = i.trace_id
    AND c.device_kind IS NOT DISTINCT FROM i.device_kind
    AND c.device_ordinal IS NOT DISTINCT FROM i.device_ordinal
    AND c.category = u.category
    AND c.ts = i.ts
),
with_rest AS (
  SELECT trace_id, device_kind, device_ordinal, category, ts, allocated_bytes FROM by_category
  UNION ALL
  SELECT
    i.trace_id,
    i.device_kind,
    i.device_ordinal,
    NULL,
    i.ts,
    any_value(i.allocated_bytes) - sum(c.allocated_bytes)
  FROM instant AS i
  JOIN by_category AS c
    ON c.trace_id = i.trace_id
    AND c.device_kind IS NOT DISTINCT FROM i.device_kind
    AND c.device_ordinal IS NOT DISTINCT FROM i.device_ordinal
    AND c.ts = i.ts
  GROUP BY i.trace_id, i.device_kind, i.device_ordinal, i.ts
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.device_kind,
  c.device_ordinal,
  c.category,
  c.ts,
  c.allocated_bytes::BIGINT AS allocated_bytes
FROM with_rest AS c
JOIN trace AS t ON t.id = c.trace_id
CROSS JOIN time_window AS w
WHERE c.ts >= w.from_ns
  AND c.ts < w.to_ns
ORDER BY t.run_id, t.rank, c.trace_id, c.device_kind, c.device_ordinal, c.category, c.ts
