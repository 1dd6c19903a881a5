-- The last begin and end of each operation in each session, as nanoseconds; sessions from 1. As in
-- tensorflow-profiler a session lasts from its begin to the next end of any session.
WITH part AS (
  SELECT id, ts, CASE WHEN dur >= 0 THEN ts + dur END AS end_ts
  FROM slice
  WHERE trace_id = $trace_id::BIGINT AND category = 'session'
),
session AS (
  SELECT
    p.ts,
    (SELECT min(e.end_ts) FROM part AS e WHERE e.end_ts > p.ts) AS end_ts,
    row_number() OVER (ORDER BY p.ts, p.id) AS session
  FROM part AS p
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
JOIN session AS s ON m.ts >= s.ts AND (m.ts <= s.end_ts OR s.end_ts IS NULL)
GROUP BY s.session, m.name
ORDER BY s.session, m.name
