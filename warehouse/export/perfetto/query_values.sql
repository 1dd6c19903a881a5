SELECT v.track_id, v.ts + t.shift_ns + {lift_ns} AS ts, v.value
FROM export_value AS v
JOIN export_trace AS t ON t.trace_id = v.trace_id
ORDER BY v.track_id, v.ts
