-- The events of a processor at their places, with the operation of kernels as their tf_name.
SELECT
  t.base_ns + e.placed_ts AS ts,
  e.event_class_id,
  CASE
    WHEN NOT e.is_merged AND json_exists(p.payload, '$.tf_name') AND o.name IS NOT NULL
      THEN json_merge_patch(p.payload, json_object('tf_name', o.name))::VARCHAR
    ELSE p.payload
  END AS payload,
  coalesce(
    e.context_json, CASE WHEN e.tid IS NULL THEN '{}' ELSE '{"vtid":' || e.tid || '}' END
  ) AS context
FROM recorded_event AS e
JOIN trace AS t ON t.id = e.trace_id
JOIN slice AS s ON s.id = e.slice_id AND s.trace_id = $trace_id::BIGINT
CROSS JOIN LATERAL (SELECT coalesce(e.payload_json, s.args_json) AS payload) AS p
LEFT JOIN gpu_op_cause AS c ON c.slice_id = e.slice_id AND c.trace_id = $trace_id::BIGINT
LEFT JOIN whole_cpu_op AS o ON o.slice_id = c.cpu_op_id
WHERE e.trace_id = $trace_id::BIGINT AND e.cpu IS NOT DISTINCT FROM $cpu::BIGINT
ORDER BY e.placed_ts, e.ts, e.id
