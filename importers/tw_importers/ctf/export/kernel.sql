-- Kernels in the order of their begins, with the sessions around them.
WITH session AS (
  SELECT ts, ts + dur AS end_ts, row_number() OVER (ORDER BY ts, slice_id) AS session
  FROM step
  WHERE trace_id = $trace_id::BIGINT
),
kernel AS (
  SELECT
    g.slice_id, g.name, g.ts, t.base_ns + g.ts AS begin_ns,
    row_number() OVER (ORDER BY g.ts, g.slice_id) - 1 AS n
  FROM gpu_op AS g
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.trace_id = $trace_id::BIGINT AND g.kind IN ('kernel', 'memset')
),
numbered AS (
  SELECT
    k.*,
    (SELECT max(s.session) FROM session AS s WHERE s.ts <= k.ts AND s.end_ts > k.ts) AS inside,
    (SELECT count(*) FROM session AS s WHERE s.ts <= k.ts) AS n_begun,
    (SELECT count(*) FROM session AS s WHERE s.end_ts <= k.ts) AS n_ended
  FROM kernel AS k
)
SELECT
  slice_id,
  name,
  begin_ns,
  n,
  coalesce(inside - 1, -1) AS session_index,
  CASE WHEN inside IS NULL THEN -1
    ELSE row_number() OVER (PARTITION BY inside ORDER BY n) - 1 END AS index_inside,
  n_begun,
  row_number() OVER (PARTITION BY n_ended ORDER BY n) - 1 AS index_since_end
FROM numbered
ORDER BY n
