-- The spans of gpu_activity/prepare.sql with the details of device work; runs after it.
-- In: `activity`, `activity_time`, `work_detail`. Out: `span`.
CREATE OR REPLACE VIEW span AS
SELECT
  p.rowid AS slice_n,
  p.track_n,
  p.device_n,
  p.ts,
  p.dur,
  one_id(a.correlation_id, p.process_n) AS correlation_id,
  nullif(a.args_json, '{}') AS args_json,
  a.* EXCLUDE (start_ns, end_ns, process, thread, device, track_name, correlation_id, args_json),
  d.* EXCLUDE (seq)
FROM activity AS a
JOIN activity_time AS p ON p.activity_n = a.rowid
LEFT JOIN work_detail AS d ON d.seq = a.seq;
