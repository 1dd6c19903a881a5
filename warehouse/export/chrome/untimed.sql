-- Whether there is a time window, and a record of which only the text holds a time, such as the end of a
-- slice or a value of a counter.
SELECT 1
FROM source_event AS e
CROSS JOIN time_window AS w
WHERE e.trace_id = {trace_id}
  AND e.slice_id IS NULL
  AND e.flow_point_id IS NULL
  AND e.phase IS DISTINCT FROM 'M'
  AND (w.from_ns > -9223372036854775807 OR w.to_ns < 9223372036854775807)
LIMIT 1
