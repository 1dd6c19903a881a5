-- The last begin and end of each operation in each session, as nanoseconds; sessions from 1.
WITH session AS (
  SELECT ts, ts + dur AS end_ts, row_number() OVER (ORDER BY ts, slice_id) AS session
  FROM step
  WHERE trace_id = $trace_id::BIGINT
),
moment AS (
  SELECT name, ts, true AS is_begin FROM slice
  WHERE trace_id = $trace_id::BIGINT AND category = 'cpu_op'
  UNION ALL
  SELECT name, ts + dur, false FROM slice
  WHERE trace_id = $trace_id::BIGINT AND category = 'cpu_op' AND dur >= 0
)
SELECT
  s.session,
  m.name,
  max(m.ts) FILTER (m.is_begin) AS begin_ts,
  max(m.ts) FILTER (NOT m.is_begin) AS end_ts
FROM moment AS m
JOIN session AS s ON m.ts >= s.ts AND m.ts <= s.end_ts
GROUP BY s.session, m.name
ORDER BY s.session, m.name
