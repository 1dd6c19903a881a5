-- From activities to tracks and spans, without any lock on the warehouse.
-- In: the tables of tables.sql. Out: `origin`, `process_number`, `track_number`, `device_number`,
-- `span`, `entry`, `event`, `unused`, `problem`. Ordinals (`…_n`) count from 0 and become ids.

-- Out-of-range timestamps are treated as missing.
UPDATE activity SET start_ns = NULL
WHERE start_ns NOT BETWEEN -1000000000000000000 AND 4000000000000000000;

UPDATE activity SET end_ns = start_ns
WHERE end_ns NOT BETWEEN -1000000000000000000 AND 4000000000000000000;

CREATE TABLE origin AS
SELECT
  coalesce(min(start_ns), 0) AS first_ns,
  coalesce(max(greatest(coalesce(end_ns, start_ns), start_ns)), 0) AS last_ns
FROM activity;

CREATE TABLE process_number AS
SELECT
  (row_number() OVER (ORDER BY k.pid NULLS LAST, p.process) - 1)::BIGINT AS process_n,
  p.process,
  coalesce(k.pid, whole(p.process)) AS pid,
  k.name,
  k.extra_json
FROM (
  SELECT coalesce(process, '') AS process FROM activity
  UNION
  SELECT coalesce(process, '') FROM process_info
) AS p
LEFT JOIN (
  SELECT
    coalesce(process, '') AS process,
    any_value(pid) AS pid,
    any_value(name) AS name,
    any_value(extra_json) AS extra_json
  FROM process_info
  GROUP BY ALL
) AS k USING (process);

-- A device that no record describes is a GPU with the number in its key, or the next free one.
CREATE TABLE device_number AS
WITH described AS (
  SELECT * FROM device_info
  QUALIFY row_number() OVER (PARTITION BY device ORDER BY ordinal) = 1
),
used AS (
  SELECT device FROM described
  UNION
  SELECT device FROM activity WHERE device IS NOT NULL
)
SELECT
  (row_number() OVER (
    ORDER BY d.ordinal NULLS LAST, whole(regexp_extract(k.device, '(\d+)$', 1)), k.device
  ) - 1)::BIGINT AS device_n,
  k.device,
  coalesce(d.kind, 'gpu') AS kind,
  coalesce(
    d.ordinal,
    whole(regexp_extract(k.device, '(\d+)$', 1)),
    row_number() OVER (ORDER BY d.ordinal NULLS LAST, k.device) - 1
  ) AS ordinal,
  d.name,
  d.vendor,
  d.uuid,
  d.memory_bytes,
  d.n_compute_units,
  d.clock_hz,
  d.peak_bytes_per_s,
  d.properties_json
FROM used AS k
LEFT JOIN described AS d USING (device);

-- The rows of the timeline: threads first, then the lanes of devices.
CREATE TABLE track_number AS
SELECT
  (row_number() OVER (
    ORDER BY l.device IS NOT NULL, p.process_n, d.device_n, l.track_name, l.stream, l.thread NULLS LAST
  ) - 1)::BIGINT AS track_n,
  p.process_n,
  d.device_n,
  l.process,
  l.thread,
  l.device,
  l.track_name,
  l.stream
FROM (
  SELECT DISTINCT
    coalesce(process, '') AS process,
    CASE WHEN device IS NULL THEN coalesce(thread, -1) END AS thread,
    device,
    track_name,
    stream
  FROM activity
  WHERE start_ns IS NOT NULL
) AS l
JOIN process_number AS p USING (process)
LEFT JOIN device_number AS d USING (device);

-- Stored by category, track and time, as all slices are. What is sorted is narrow: the rest of an
-- activity, its texts above all, stays where it is, and is joined by its row.
CREATE TABLE activity_time AS
SELECT
  a.rowid AS activity_n,
  l.track_n,
  l.process_n,
  l.device_n,
  a.kind = 'range' AS is_range,
  a.start_ns - o.first_ns AS ts,
  CASE WHEN a.end_ns IS NULL THEN -1 ELSE a.end_ns - a.start_ns END AS dur
FROM activity AS a
JOIN track_number AS l
  ON l.process = coalesce(a.process, '')
  AND l.thread IS NOT DISTINCT FROM CASE WHEN a.device IS NULL THEN coalesce(a.thread, -1) END
  AND l.device IS NOT DISTINCT FROM a.device
  AND l.track_name IS NOT DISTINCT FROM a.track_name
  AND l.stream IS NOT DISTINCT FROM a.stream
CROSS JOIN origin AS o
WHERE a.start_ns IS NOT NULL
ORDER BY a.category, l.track_n, a.start_ns, a.end_ns DESC, a.seq;

CREATE VIEW span AS
SELECT
  p.rowid AS slice_n,
  p.track_n,
  p.device_n,
  p.ts,
  p.dur,
  one_id(a.correlation_id, p.process_n) AS correlation_id,
  nullif(a.args_json, '{}') AS args_json,
  a.* EXCLUDE (start_ns, end_ns, process, thread, device, track_name, correlation_id, args_json)
-- The narrow side last: a join keeps all of that in memory.
FROM activity AS a
JOIN activity_time AS p ON p.activity_n = a.rowid;

-- A range of the times of a call is around it.
CREATE VIEW entry AS
SELECT
  rowid AS entry_n, track_n, ts, greatest(dur, 0) AS reach,
  rowid + if(is_range, 0, 1::BIGINT << 40) AS seq
FROM activity_time;

CREATE VIEW event AS SELECT seq FROM activity UNION ALL SELECT seq FROM leftover;

CREATE TABLE unused AS
SELECT reason, sum(n)::BIGINT AS n FROM not_used WHERE n > 0 GROUP BY reason
UNION ALL
SELECT 'no usable time', count(*) FROM activity WHERE start_ns IS NULL HAVING count(*) > 0;

-- A counter needs a name to be stored.
CREATE TABLE unnamed_counter AS SELECT count(*) AS n FROM figure WHERE name IS NULL;

UPDATE figure SET name = 'counter' WHERE name IS NULL;

CREATE TABLE problem AS
SELECT kind, severity, count, meaning FROM defect WHERE count > 0
UNION ALL
SELECT 'unnamed_counter', 'warning', n, 'values of counters without a name, stored as "counter"'
FROM unnamed_counter
WHERE n > 0
UNION ALL
SELECT 'no_usable_time', 'warning', count(*),
  'records without a valid integer time, skipped'
FROM activity
WHERE start_ns IS NULL
UNION ALL
SELECT 'negative_duration', 'note', count(*), 'records that end before they start, kept unchanged'
FROM activity
WHERE end_ns < start_ns
UNION ALL
SELECT 'unfinished', 'note', count(*), 'records without an end, kept with dur -1'
FROM activity
WHERE end_ns IS NULL AND start_ns IS NOT NULL;
