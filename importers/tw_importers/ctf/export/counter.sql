-- Dispatches whose hardware counters were recorded, in their order, with all counters.
SELECT
  p.ordinal,
  p.args_json,
  m.names,
  m.texts
FROM (
  SELECT s.args_json, row_number() OVER (ORDER BY s.ts, s.id) - 1 AS ordinal
  FROM slice AS s
  WHERE s.trace_id = $trace_id::BIGINT AND s.category = 'parameters'
) AS p
LEFT JOIN (
  SELECT
    m.ordinal,
    list(m.name ORDER BY m.id) AS names,
    list(json_extract_string(s.args_json, '$.value') ORDER BY m.id) AS texts
  FROM metric AS m
  JOIN (
    SELECT args_json, row_number() OVER (ORDER BY ts, id) - 1 AS n
    FROM slice
    WHERE trace_id = $trace_id::BIGINT AND category = 'metric'
  ) AS s ON s.n = m.id - ($trace_id::BIGINT << 32)
  WHERE m.trace_id = $trace_id::BIGINT
  GROUP BY m.ordinal
) AS m ON m.ordinal = p.ordinal
ORDER BY p.ordinal
