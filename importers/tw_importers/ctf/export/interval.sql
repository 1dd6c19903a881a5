-- Intervals of a module in the order in which they end, with the session each ends in.
-- Begins and ends pair by name as tensorflow-profiler pairs them: the k-th begin with the k-th end, also
-- of a begin whose own end is missing. Sessions pair by their count, as their slices do.
WITH session AS (
  SELECT s.ts + s.dur AS end_ts FROM step AS s WHERE s.trace_id = $trace_id::BIGINT
),
part AS (
  SELECT
    s.id, s.name, s.ts, s.ts + s.dur AS end_ts, s.dur,
    CASE WHEN $module::VARCHAR = 'sessions' THEN s.id END AS own_id
  FROM slice AS s
  JOIN track AS k ON k.id = s.track_id
  WHERE s.trace_id = $trace_id::BIGINT AND CASE $module::VARCHAR
    WHEN 'sessions' THEN s.category = 'session'
    WHEN 'operations' THEN s.category = 'cpu_op' AND k.kind = 'thread'
    WHEN 'cuda_kernels' THEN s.id IN (
      SELECT e.slice_id
      FROM recorded_event AS e
      JOIN event_class AS c ON c.id = e.event_class_id
      WHERE e.trace_id = $trace_id::BIGINT AND c.name LIKE '%u%Tracer:kernel\_begin' ESCAPE '\'
        AND regexp_matches(c.name, '^(cuda|cupti)Tracer:')
    )
  END
),
begun AS (
  SELECT id, name, own_id, ts, row_number() OVER (PARTITION BY name, own_id ORDER BY ts, id) AS n
  FROM part
),
ended AS (
  SELECT
    name, own_id, end_ts, row_number() OVER (PARTITION BY name, own_id ORDER BY end_ts, id) AS n
  FROM part
  WHERE dur >= 0
)
SELECT
  t.base_ns + b.ts AS begin_ns,
  t.base_ns + e.end_ts AS end_ns,
  b.name,
  e.end_ts - b.ts AS dur_ns,
  1 + (SELECT count(*) FROM session AS s WHERE s.end_ts < e.end_ts) AS session
FROM begun AS b
JOIN ended AS e
  ON e.name = b.name AND e.own_id IS NOT DISTINCT FROM b.own_id AND e.n = b.n
JOIN trace AS t ON t.id = $trace_id::BIGINT
ORDER BY e.end_ts, b.ts, b.id
