SELECT c.track_id, c.ts + t.shift_ns + {lift_ns} AS ts, c.value
FROM counter AS c
JOIN export_trace AS t ON t.trace_id = c.trace_id
WHERE c.value IS NOT NULL
ORDER BY c.track_id, c.ts, c.id
