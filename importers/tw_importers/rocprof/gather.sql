-- From tables of dispatches to activities.
-- In: `dispatch`, `counter_value`, `machine` (read.py). Out: the tables of gpu_activity/tables.sql.

-- One dispatch may stand in several tables: in one with its times, in one with its counters. The n-th
-- line with a number belongs to the n-th with it elsewhere; process ids differ by pass. What is
-- sorted is narrow, the rest of a line stays in its file.
CREATE TABLE dispatch_line AS
SELECT
  source,
  seq,
  number,
  device,
  concat_ws(' ', number, nth) AS key,
  row_number() OVER (PARTITION BY number, nth ORDER BY is_untimed, source, seq) = 1 AS is_first
FROM (
  SELECT
    source,
    seq,
    number,
    coalesce('gpu ' || gpu, 'gpu') AS device,
    whole(start) IS NULL AS is_untimed,
    row_number() OVER (PARTITION BY source, number ORDER BY seq) AS nth
  FROM dispatch
);

CREATE VIEW first_of AS
SELECT
  d.*,
  s.device,
  s.key,
  whole(d.start) AS start_ns,
  coalesce(whole(d."end"), TRY(whole(d.start) + whole(d.duration))) AS end_ns
FROM dispatch AS d
JOIN (SELECT source, seq, device, key FROM dispatch_line WHERE is_first) AS s
  ON s.source = d.source AND s.seq = d.seq;

INSERT INTO device_info (device, kind, ordinal, name, vendor, n_compute_units, clock_hz,
  peak_bytes_per_s, properties_json)
SELECT
  d.device,
  'gpu',
  whole(d.gpu),
  m.gpumodel,
  'AMD',
  whole(m.cupergpu),
  TRY_CAST(m.maxsclk AS DOUBLE) * 1e6,
  TRY_CAST(m.hbmbw AS DOUBLE) * 1e9,
  CASE WHEN m.gpumodel IS NOT NULL THEN json_object('gpu_model', m.gpumodel, 'gpu_arch', m.gpuarch,
    'rocm_version', m.rocmversion)::VARCHAR END
FROM (SELECT device, any_value(gpu) AS gpu FROM first_of GROUP BY device) AS d
LEFT JOIN (SELECT * FROM machine LIMIT 1) AS m ON true;

-- Sizes are given in all, not for each dimension.
INSERT INTO activity BY NAME
SELECT
  seq,
  'kernel' AS kind,
  'kernel' AS category,
  kernel AS name,
  start_ns,
  end_ns,
  pid AS process,
  device,
  'queue ' || queue AS track_name,
  whole(queue) AS stream,
  whole(correlation) AS correlation_id,
  blocks(whole(work_items), whole(workgroup)) AS grid_x,
  CASE WHEN whole(work_items) IS NOT NULL THEN 1 END AS grid_y,
  CASE WHEN whole(work_items) IS NOT NULL THEN 1 END AS grid_z,
  whole(workgroup) AS block_x,
  CASE WHEN whole(workgroup) IS NOT NULL THEN 1 END AS block_y,
  CASE WHEN whole(workgroup) IS NOT NULL THEN 1 END AS block_z,
  whole(vgpr) AS registers,
  whole(lds) AS shared_memory_bytes,
  CASE WHEN whole(dispatched) > 0 AND start_ns >= whole(dispatched)
    THEN TRY(start_ns - whole(dispatched)) END AS queued_ns,
  key AS dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || whole(number),
    '"kernel_id":' || whole(kernel_id),
    '"queue_index":' || whole(queue_index),
    '"thread_id":' || whole(tid),
    '"scratch_bytes":' || whole(scratch_bytes),
    '"accum_vgpr":' || whole(accum_vgpr),
    '"sgpr":' || whole(sgpr),
    '"wave_size":' || whole(wave_size),
    '"fbar":' || whole(barriers),
    '"dispatch_ns":' || whole(dispatched),
    '"complete_ns":' || whole(completed),
    '"signal":' || quoted(signal),
    '"object":' || quoted(object)
  )) AS args_json
FROM first_of
WHERE start IS NOT NULL;

INSERT INTO process_info (process, pid)
SELECT DISTINCT pid, whole(pid) FROM first_of WHERE pid IS NOT NULL;

INSERT INTO leftover
SELECT
  row_number() OVER (ORDER BY source, seq) - 1,
  'dispatch',
  json_object('dispatch_id', whole(number), 'kernel_name', kernel, 'gpu', whole(gpu), 'grid_size',
    whole(work_items), 'workgroup_size', whole(workgroup))::VARCHAR
FROM first_of
WHERE start IS NULL;

INSERT INTO figure
SELECT
  s.source * 4294967296 + s.seq,
  s.key,
  s.device,
  whole(s.number),
  c.name,
  TRY_CAST(c.value AS DOUBLE),
  NULL
FROM counter_value AS c
JOIN dispatch_line AS s ON s.source = c.source AND s.seq = c.seq
WHERE TRY_CAST(c.value AS DOUBLE) IS NOT NULL;

INSERT INTO not_used
SELECT 'dispatches without a time', count(*) FROM leftover
UNION ALL
SELECT 'column values that are not numbers', count(*)
FROM counter_value
WHERE TRY_CAST(value AS DOUBLE) IS NULL;

INSERT INTO defect
SELECT 'no_timestamps', 'note', count(*),
  'dispatches recorded without times; their counters are not attached to a slice; record with --timestamp on'
FROM leftover;

INSERT INTO record_count
SELECT 'dispatches', count(*) FROM dispatch
UNION ALL
SELECT 'values of counters', count(*) FROM counter_value;

INSERT INTO merged
SELECT 'lines of one dispatch in several tables', count(*) FROM dispatch_line WHERE NOT is_first;
