-- Where things happened: processes, threads, devices, and the tracks of each.
-- In: the tables of tables.py, names.sql, owners.sql. Out: `work`, `call`, `range` (all that has a time
-- and a thread or device), `process_number`, `thread_number`, `device_number`, `track_number`,
-- `metric_track`.
-- A process is identified by the upper bits of globalPid and globalTid, without the thread: `process_key`.
-- Ordinals (`…_n`) count from 0 and become ids once the trace has one.

CREATE MACRO process_of(global_id) AS (coalesce(global_id, 0) >> 24);

-- 4294967295 stands for no stream: a wait for a whole context.
CREATE MACRO stream_of(stream_id) AS (if(stream_id = 4294967295, NULL, stream_id));

-- Push/pop ranges nest on their thread, others have a row of their own; a start/end range may end on
-- another thread.
CREATE MACRO range_track_kind(style, begin_tid, end_tid) AS (
  CASE WHEN style <> 'start_end' THEN 'thread' WHEN end_tid <> begin_tid THEN 'handed_range'
    ELSE 'range' END
);

-- All device work under one set of names. Rows without a time are skipped.
CREATE VIEW work AS
SELECT
  k.*,
  process_of(global_pid) AS process_key,
  stream_of(raw_stream) AS stream
FROM (
  SELECT 'kernel' AS kind, rowid AS row_n, "start", "end", deviceId AS device,
    contextId AS context, streamId AS raw_stream, correlationId AS correlation_id,
    globalPid AS global_pid, greenContextId AS green_context_id
  FROM kernel
  UNION ALL
  SELECT 'memcpy', rowid, "start", "end", deviceId, contextId, streamId, correlationId, globalPid,
    greenContextId
  FROM memcpy
  UNION ALL
  SELECT 'memset', rowid, "start", "end", deviceId, contextId, streamId, correlationId, globalPid,
    greenContextId
  FROM memset
  UNION ALL
  SELECT 'sync', rowid, "start", "end", deviceId, contextId, streamId, correlationId, globalPid,
    greenContextId
  FROM sync_op
  UNION ALL
  SELECT 'graph', rowid, "start", "end", deviceId, contextId, streamId, correlationId, globalPid,
    greenContextId
  FROM graph_trace
) AS k
WHERE "start" IS NOT NULL;

-- NVTX: domains and categories are named by events of their own, the last word counts.
CREATE TABLE nvtx_domain AS
SELECT process_of(globalTid) AS process_key, domainId AS domain_id,
  arg_max(coalesce(e.text, n.value), e.rowid) AS name
FROM nvtx AS e
LEFT JOIN name AS n ON n.id = e.textId
WHERE eventType = 75
GROUP BY ALL;

CREATE TABLE nvtx_category AS
SELECT process_of(globalTid) AS process_key, coalesce(domainId, 0) AS domain_id,
  category AS category_id, arg_max(coalesce(e.text, n.value), e.rowid) AS name
FROM nvtx AS e
LEFT JOIN name AS n ON n.id = e.textId
WHERE eventType IN (33, 64)
GROUP BY ALL;

CREATE TABLE range AS
SELECT
  e.rowid AS row_n,
  e."start",
  -- Older exports have no NULL, but 0 or -1, where a range did not end.
  if(t.style = 'mark', e."start", if(e."end" IN (0, -1) AND e."start" > e."end", NULL, e."end"))
    AS "end",
  e.globalTid,
  t.style,
  range_track_kind(t.style, e.globalTid, e.endGlobalTid) AS track_kind,
  coalesce(e.text, n.value) AS name,
  d.name AS domain,
  coalesce(c.name, if(e.category IS NULL OR e.category = 0, NULL, e.category::VARCHAR)) AS category,
  e.rangeId AS range_id,
  json_merge_patch('{}', json_object(
    'Color', e.color,
    'Payload', coalesce(e.int64Value, e.uint64Value, e.int32Value, e.uint32Value)::VARCHAR,
    'Real payload', coalesce(e.doubleValue, e.floatValue)::VARCHAR,
    'End thread', nullif(e.endGlobalTid & 16777215, e.globalTid & 16777215),
    'Json', coalesce(e.jsonText, j.value)
  ))::VARCHAR AS args
FROM nvtx AS e
LEFT JOIN name AS n ON n.id = e.textId
LEFT JOIN name AS j ON j.id = e.jsonTextId
LEFT JOIN nvtx_domain AS d
  ON d.process_key = process_of(e.globalTid) AND d.domain_id = e.domainId
LEFT JOIN nvtx_category AS c
  ON c.process_key = process_of(e.globalTid) AND c.domain_id = coalesce(e.domainId, 0)
  AND c.category_id = e.category
JOIN nvtx_style AS t ON t.event_type = coalesce(e.eventType, if(e."end" IS NULL, 34, 59))
WHERE e."start" IS NOT NULL;

-- Calls of the runtime and the driver. Class 67 repeats a call with its backtrace.
CREATE VIEW call AS
SELECT rowid AS row_n, *, CASE eventClass WHEN 1 THEN 'cuda_driver' WHEN 67 THEN 'cuda_backtrace'
  ELSE 'cuda_runtime' END AS category
FROM api
WHERE "start" IS NOT NULL;

CREATE TABLE used_thread AS
SELECT DISTINCT coalesce(globalTid, 0) AS global_tid, track_kind
FROM (
  SELECT DISTINCT globalTid, if(eventClass = 67, 'backtrace', 'thread') AS track_kind FROM call
  UNION ALL
  SELECT DISTINCT globalTid, 'thread' FROM thread_event WHERE "start" IS NOT NULL
  UNION ALL
  SELECT DISTINCT globalTid, track_kind FROM range
);

CREATE TABLE used_track AS
SELECT DISTINCT process_key, 'stream' AS track_kind, device, context, stream FROM work
UNION
SELECT process_of(globalPid), 'memory', deviceId, NULL, NULL FROM memory_usage
UNION
SELECT process_of(globalPid), 'cpu_fault', NULL, NULL, NULL FROM cpu_fault
UNION
SELECT process_of(globalPid), 'gpu_fault', deviceId, NULL, NULL FROM gpu_fault;

-- Each process counts its own correlation ids; those of all but the first are shifted. Device work
-- that names no process may be of any, so with such work they stay as they are.
CREATE TABLE process_number AS
WITH used AS (
  SELECT process_of(global_tid) AS process_key FROM used_thread
  UNION
  SELECT process_key FROM used_track
)
SELECT
  (row_number() OVER (ORDER BY u.process_key) - 1)::BIGINT AS process_n,
  if(EXISTS (FROM used_track WHERE track_kind = 'stream' AND process_key = 0), 0, process_n) AS shift_n,
  u.process_key,
  u.process_key & 16777215 AS pid,
  p.name,
  r.rank
FROM used AS u
LEFT JOIN (
  SELECT process_of(globalPid) AS process_key, any_value(name ORDER BY rowid) AS name
  FROM process_name
  GROUP BY process_key
) AS p ON p.process_key = u.process_key
LEFT JOIN (
  SELECT process_of(globalTid) AS process_key, any_value(rank ORDER BY rowid) AS rank
  FROM mpi_rank
  GROUP BY process_key
) AS r ON r.process_key = u.process_key;

-- A name a program gave its thread with NVTX counts more than the system's.
CREATE TABLE thread_number AS
SELECT
  (row_number() OVER (ORDER BY u.global_tid) - 1)::BIGINT AS thread_n,
  u.global_tid,
  p.process_n,
  p.shift_n,
  p.pid,
  u.global_tid & 16777215 AS tid,
  coalesce(v.name, s.value) AS name,
  t.priority
FROM (SELECT DISTINCT global_tid FROM used_thread) AS u
JOIN process_number AS p ON p.process_key = process_of(u.global_tid)
LEFT JOIN (
  SELECT globalTid, any_value(nameId ORDER BY rowid) AS name_id,
    any_value(priority ORDER BY rowid) AS priority
  FROM thread_name
  GROUP BY globalTid
) AS t ON t.globalTid = u.global_tid
LEFT JOIN name AS s ON s.id = t.name_id
LEFT JOIN (
  SELECT globalTid, arg_max(coalesce(e.text, n.value), e.rowid) AS name
  FROM nvtx AS e
  LEFT JOIN name AS n ON n.id = e.textId
  WHERE eventType IN (39, 72)
  GROUP BY globalTid
) AS v ON v.globalTid = u.global_tid;

-- Properties of GPUs; their number is CUDA's, as in the activities, not that in the tool's list.
CREATE TABLE device_number AS
WITH gpu_info AS (
  SELECT
    coalesce(
      if(m.is_ambiguous, m.gpu_id, m.cuda_id), (properties ->> 'cuDevice')::BIGINT,
      (properties ->> 'id')::BIGINT
    ) AS ordinal,
    (properties ->> 'id')::BIGINT AS gpu_id,
    properties
  FROM gpu AS g
  LEFT JOIN (
    SELECT gpu_id, min(cuda_id) AS cuda_id, any_value(is_ambiguous) AS is_ambiguous
    FROM gpu_ordinal
    GROUP BY gpu_id
  ) AS m ON m.gpu_id = (g.properties ->> 'id')::BIGINT
),
used_device AS (
  SELECT ordinal FROM gpu_info WHERE ordinal IS NOT NULL
  UNION
  SELECT device FROM used_track WHERE device IS NOT NULL
)
SELECT
  (row_number() OVER (ORDER BY k.ordinal) - 1)::BIGINT AS device_n,
  k.ordinal,
  any_value(s.gpu_id ORDER BY s.properties) AS gpu_id,
  any_value(s.properties ORDER BY s.properties) AS properties
FROM used_device AS k
LEFT JOIN gpu_info AS s ON s.ordinal = k.ordinal
GROUP BY k.ordinal;

-- Tracks: threads, then streams and other lanes of devices, then counters.
CREATE TABLE track_number AS
WITH host AS (
  SELECT t.process_n, t.shift_n, t.thread_n, u.track_kind, NULL::BIGINT AS device_n,
    NULL::BIGINT AS context, NULL::BIGINT AS stream, NULL::BIGINT AS device, NULL::BIGINT AS process_key, u.global_tid
  FROM used_thread AS u
  JOIN thread_number AS t ON t.global_tid = u.global_tid
),
on_device AS (
  SELECT p.process_n, p.shift_n, NULL::BIGINT AS thread_n, l.track_kind, d.device_n, l.context,
    l.stream, l.device, l.process_key, NULL::BIGINT AS global_tid
  FROM used_track AS l
  JOIN process_number AS p ON p.process_key = l.process_key
  LEFT JOIN device_number AS d ON d.ordinal = l.device
)
SELECT
  (row_number() OVER (
    ORDER BY a.thread_n IS NULL, a.thread_n, a.device_n, a.process_n, a.context,
      a.stream NULLS FIRST, a.track_kind
  ) - 1)::BIGINT AS track_n,
  a.*,
  count(*) OVER (PARTITION BY a.track_kind, a.device_n, a.stream) > 1 AS is_ambiguous
FROM (FROM host UNION ALL FROM on_device) AS a;

CREATE TABLE thread_track AS
SELECT global_tid, track_kind, track_n, shift_n FROM track_number WHERE thread_n IS NOT NULL;

CREATE TABLE stream_track AS
SELECT process_key, device, context, stream, track_n FROM track_number WHERE track_kind = 'stream';

-- One counter a metric and GPU. The index of the GPU is the lowest byte of typeId.
CREATE TABLE metric_track AS
SELECT
  (SELECT count(*) FROM track_number) + (row_number() OVER (ORDER BY m.typeId, m.metricId) - 1)::BIGINT
    AS track_n,
  m.typeId AS type_id,
  m.metricId AS metric_id,
  coalesce(nullif(trim(regexp_replace(n.metricName, '\[[^\]]*\]\s*$', '')), ''),
    'metric ' || m.metricId) AS name,
  nullif(regexp_extract(n.metricName, '\[([^\]]*)\]\s*$', 1), '') AS unit,
  d.device_n
FROM (SELECT DISTINCT typeId, metricId FROM gpu_metric) AS m
LEFT JOIN (
  SELECT typeId, metricId, any_value(metricName ORDER BY rowid) AS metricName
  FROM gpu_metric_name
  GROUP BY typeId, metricId
) AS n ON n.typeId IS NOT DISTINCT FROM m.typeId AND n.metricId IS NOT DISTINCT FROM m.metricId
LEFT JOIN (
  SELECT gpu_id, min(device_n) AS device_n FROM device_number GROUP BY gpu_id
) AS d ON d.gpu_id = (m.typeId & 255);
