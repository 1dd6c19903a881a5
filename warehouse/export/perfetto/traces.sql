-- The offset to add to the times of each trace: ns from slice.ts to the time in the file.
-- A clock without a known offset is not shifted, which the exporter reports. A drifting clock is aligned
-- at the middle of its trace: scaling times would break the nesting of slices. A trace whose clock has no
-- epoch starts at 0 (display_trace.starts_at_zero).
CREATE OR REPLACE TEMP TABLE export_trace AS
SELECT
  t.id AS trace_id,
  row_number() OVER (ORDER BY t.id) AS trace_n,
  t.run_id,
  dense_rank() OVER (ORDER BY t.run_id) AS run_n,
  t.name,
  t.rank,
  r.name AS run_name,
  CASE
    WHEN p.starts_at_zero AND c.offset_ns IS NULL THEN 0
    ELSE t.base_ns + coalesce(c.offset_ns + round(coalesce(c.drift * t.end_ts, 0) / 2)::BIGINT, 0)
  END AS shift_ns,
  c.offset_ns IS NOT NULL AS is_aligned
FROM trace AS t
JOIN run AS r ON r.id = t.run_id
LEFT JOIN clock AS c ON c.id = t.clock_id
LEFT JOIN display_trace AS p ON p.trace_id = t.id
WHERE t.kind = 'timeline'
