-- From the tables of an export to places and spans, without any lock.
-- In: the tables of tables.py, names.sql. Out: `process_place`, `thread_place`, `stream_place`, `lane`,
-- `device_place`, `span`, `entry` (what the nesting pass orders), `event`, `origin`, `unused`, `problem`.
-- A process is told by the upper bits of globalPid and globalTid, without the thread: `process_key`.
-- Ordinals (`…_n`) count from 0 and become ids once the trace has one.

CREATE MACRO process_of(global_id) AS (coalesce(global_id, 0) >> 24);

-- All device work under one set of names. A row without a time is no work.
CREATE VIEW work AS
SELECT
  k.*,
  process_of(global_pid) AS process_key,
  -- 4294967295 stands for no stream: a wait for a whole context
  if(raw_stream = 4294967295, NULL, raw_stream) AS stream
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

-- Calls of the runtime and the driver. Class 67 tells of a call again, with its backtrace.
CREATE VIEW call AS
SELECT rowid AS row_n, *, CASE eventClass WHEN 1 THEN 'cuda_driver' WHEN 67 THEN 'cuda_backtrace'
  ELSE 'cuda_runtime' END AS category
FROM api
WHERE "start" IS NOT NULL;

-- ---- Places -----------------------------------------------------------------------------------

CREATE TABLE used_thread AS
SELECT DISTINCT coalesce(globalTid, 0) AS global_tid, lane
FROM (
  SELECT DISTINCT globalTid, if(eventClass = 67, 'backtrace', 'thread') AS lane FROM call
  UNION ALL
  SELECT DISTINCT globalTid, 'thread' FROM thread_event WHERE "start" IS NOT NULL
  UNION ALL
  SELECT DISTINCT globalTid, if(style = 'start_end', 'range', 'thread') FROM range
);

CREATE TABLE used_lane AS
SELECT DISTINCT process_key, 'stream' AS lane, device, context, stream FROM work
UNION
SELECT process_of(globalPid), 'memory', deviceId, NULL, NULL FROM memory_usage
UNION
SELECT process_of(globalPid), 'cpu_fault', NULL, NULL, NULL FROM cpu_fault
UNION
SELECT process_of(globalPid), 'gpu_fault', deviceId, NULL, NULL FROM gpu_fault;

CREATE TABLE process_place AS
WITH used AS (
  SELECT process_of(global_tid) AS process_key FROM used_thread
  UNION
  SELECT process_key FROM used_lane
)
SELECT
  (row_number() OVER (ORDER BY u.process_key) - 1)::BIGINT AS process_n,
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
CREATE TABLE thread_place AS
SELECT
  (row_number() OVER (ORDER BY u.global_tid) - 1)::BIGINT AS thread_n,
  u.global_tid,
  p.process_n,
  p.pid,
  u.global_tid & 16777215 AS tid,
  coalesce(v.name, s.value) AS name,
  t.priority
FROM (SELECT DISTINCT global_tid FROM used_thread) AS u
JOIN process_place AS p ON p.process_key = process_of(u.global_tid)
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

-- What is said of a GPU; its number is CUDA's, as in the activities, not that of the tool's list.
CREATE TABLE device_place AS
WITH said AS (
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
    FROM device_number
    GROUP BY gpu_id
  ) AS m ON m.gpu_id = (g.properties ->> 'id')::BIGINT
),
known AS (
  SELECT ordinal FROM said WHERE ordinal IS NOT NULL
  UNION
  SELECT device FROM used_lane WHERE device IS NOT NULL
)
SELECT
  (row_number() OVER (ORDER BY k.ordinal) - 1)::BIGINT AS device_n,
  k.ordinal,
  any_value(s.gpu_id ORDER BY s.properties) AS gpu_id,
  any_value(s.properties ORDER BY s.properties) AS properties
FROM known AS k
LEFT JOIN said AS s ON s.ordinal = k.ordinal
GROUP BY k.ordinal;

-- Tracks: threads, then streams and other lanes of devices, then counters.
CREATE TABLE lane AS
WITH host AS (
  SELECT t.process_n, t.thread_n, u.lane, NULL::BIGINT AS device_n, NULL::BIGINT AS context,
    NULL::BIGINT AS stream, NULL::BIGINT AS device, NULL::BIGINT AS process_key, u.global_tid
  FROM used_thread AS u
  JOIN thread_place AS t ON t.global_tid = u.global_tid
),
on_device AS (
  SELECT p.process_n, NULL::BIGINT AS thread_n, l.lane, d.device_n, l.context, l.stream, l.device,
    l.process_key, NULL::BIGINT AS global_tid
  FROM used_lane AS l
  JOIN process_place AS p ON p.process_key = l.process_key
  LEFT JOIN device_place AS d ON d.ordinal = l.device
)
SELECT
  (row_number() OVER (
    ORDER BY a.thread_n IS NULL, a.thread_n, a.device_n, a.process_n, a.context,
      a.stream NULLS FIRST, a.lane
  ) - 1)::BIGINT AS track_n,
  a.*,
  count(*) OVER (PARTITION BY a.lane, a.device_n, a.stream) > 1 AS is_ambiguous
FROM (FROM host UNION ALL FROM on_device) AS a;

CREATE TABLE thread_track AS
SELECT global_tid, lane, track_n FROM lane WHERE thread_n IS NOT NULL;

CREATE TABLE stream_track AS
SELECT process_key, device, context, stream, track_n FROM lane WHERE lane = 'stream';

-- One counter a metric and GPU. The index of the GPU is the lowest byte of typeId.
CREATE TABLE metric_lane AS
SELECT
  (SELECT count(*) FROM lane) + (row_number() OVER (ORDER BY m.typeId, m.metricId) - 1)::BIGINT
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
  SELECT gpu_id, min(device_n) AS device_n FROM device_place GROUP BY gpu_id
) AS d ON d.gpu_id = (m.typeId & 255);

-- ---- Names of device work ---------------------------------------------------------------------

-- What a call waits for is told by its name; labels of some versions are wrong.
CREATE TABLE wait_place AS
SELECT
  s.rowid AS row_n,
  coalesce(sync_kind_of_call(any_value(c.shown)), any_value(k.name), 'Sync') AS kind,
  sync_kind_of_call(any_value(c.shown)) <> any_value(k.name) AS is_corrected
FROM sync_op AS s
LEFT JOIN sync_kind AS k ON k.id = coalesce(s.syncType, s.deprecatedSyncType)
LEFT JOIN (
  SELECT process_of(a.globalTid) AS process_key, a.correlationId AS correlation_id, n.shown
  FROM api AS a
  JOIN name AS n ON n.id = a.nameId
  WHERE a.eventClass IS DISTINCT FROM 67 AND EXISTS (FROM sync_op)
) AS c ON c.process_key = process_of(s.globalPid) AND c.correlation_id = s.correlationId
GROUP BY s.rowid;

-- ---- Spans ------------------------------------------------------------------------------------

CREATE TABLE origin AS
SELECT coalesce(min(first_ns), 0)::BIGINT AS first_ns, coalesce(max(last_ns), 0)::BIGINT AS last_ns
FROM (
  SELECT min("start") AS first_ns, max(greatest("start", "end")) AS last_ns FROM work
  UNION ALL
  SELECT min("start"), max(greatest("start", "end")) FROM api
  UNION ALL
  SELECT min("start"), max(greatest("start", "end")) FROM thread_event
  UNION ALL
  SELECT min("start"), max(greatest("start", "end")) FROM range
  UNION ALL
  SELECT min("start"), max("start") FROM memory_usage
  UNION ALL
  SELECT min("start"), max("start") FROM cpu_fault
  UNION ALL
  SELECT min("start"), max(greatest("start", "end")) FROM gpu_fault
  UNION ALL
  SELECT min(timestamp), max(timestamp) FROM gpu_metric
);

-- All slices in the order they are stored in, with the row of their table. What never ended has dur
-- -1; a difference that no 64-bit number holds has it too.
CREATE TABLE span AS
SELECT
  category,
  track_n,
  "start" - first_ns AS ts,
  coalesce(TRY_CAST("end"::HUGEINT - "start" AS BIGINT), -1) AS dur,
  family,
  row_n
FROM (
  SELECT c.category, t.track_n, c."start", c."end", 'call' AS family, c.row_n
  FROM call AS c
  JOIN thread_track AS t ON t.global_tid = coalesce(c.globalTid, 0)
    AND t.lane = if(c.eventClass = 67, 'backtrace', 'thread')
  UNION ALL
  SELECT
    CASE w.kind WHEN 'kernel' THEN 'kernel' WHEN 'memcpy' THEN 'gpu_memcpy'
      WHEN 'memset' THEN 'gpu_memset' WHEN 'sync' THEN 'cuda_sync' ELSE 'kernel' END,
    t.track_n, w."start", w."end", w.kind, w.row_n
  FROM work AS w
  JOIN stream_track AS t ON t.process_key = w.process_key
    AND t.device IS NOT DISTINCT FROM w.device
    AND t.context IS NOT DISTINCT FROM w.context
    AND t.stream IS NOT DISTINCT FROM w.stream
  UNION ALL
  SELECT e.category, t.track_n, e."start", e."end", 'thread_event', e.rowid
  FROM thread_event AS e
  JOIN thread_track AS t ON t.global_tid = coalesce(e.globalTid, 0) AND t.lane = 'thread'
  WHERE e."start" IS NOT NULL
  UNION ALL
  SELECT 'user_annotation', t.track_n, r."start", r."end", 'range', r.row_n
  FROM range AS r
  JOIN thread_track AS t ON t.global_tid = coalesce(r.globalTid, 0)
    AND t.lane = if(r.style = 'start_end', 'range', 'thread')
  UNION ALL
  SELECT 'memory', l.track_n, m."start", m."start", 'memory_usage', m.rowid
  FROM memory_usage AS m
  JOIN lane AS l ON l.lane = 'memory' AND l.process_key = process_of(m.globalPid)
    AND l.device IS NOT DISTINCT FROM m.deviceId
  WHERE m."start" IS NOT NULL
  UNION ALL
  SELECT 'um_cpu_page_fault', l.track_n, f."start", f."start", 'cpu_fault', f.rowid
  FROM cpu_fault AS f
  JOIN lane AS l ON l.lane = 'cpu_fault' AND l.process_key = process_of(f.globalPid)
  WHERE f."start" IS NOT NULL
  UNION ALL
  SELECT 'um_gpu_page_fault', l.track_n, f."start", f."end", 'gpu_fault', f.rowid
  FROM gpu_fault AS f
  JOIN lane AS l ON l.lane = 'gpu_fault' AND l.process_key = process_of(f.globalPid)
    AND l.device IS NOT DISTINCT FROM f.deviceId
  WHERE f."start" IS NOT NULL
) AS s
CROSS JOIN origin
ORDER BY category, track_n, ts, dur DESC, family, row_n;

CREATE VIEW entry AS
SELECT
  s.rowid AS entry_n,
  s.track_n,
  s.ts,
  if(s.dur = -1, greatest(o.last_ns - o.first_ns - s.ts, 0), greatest(s.dur, 0)) AS reach,
  s.rowid AS seq
FROM span AS s
CROSS JOIN origin AS o;

-- What does not change from launch to launch of one kernel: few.
CREATE TABLE kernel_args AS
SELECT
  *,
  nullif(json_merge_patch('{}', json_object(
    'launchType', launchType, 'cacheConfig', cacheConfig,
    'localMemoryPerThread', localMemoryPerThread, 'localMemoryTotal', localMemoryTotal,
    'sharedMemoryExecuted', sharedMemoryExecuted,
    'sharedMemoryLimitConfig', sharedMemoryLimitConfig
  ))::VARCHAR, '{}') AS args
FROM (
  SELECT DISTINCT launchType, cacheConfig, localMemoryPerThread, localMemoryTotal,
    sharedMemoryExecuted, sharedMemoryLimitConfig
  FROM kernel
);

-- Device work, with the names and columns of each kind.
CREATE VIEW described AS
SELECT
  s.rowid AS slice_n,
  s.family,
  s.track_n,
  s.ts,
  s.dur,
  'kernel' AS kind,
  coalesce(d.value, b.value, 'kernel') AS name,
  coalesce(b.value, d.value) AS base_name,
  m.value AS mangled_name,
  k.correlationId AS correlation_id,
  k.contextId AS context_id,
  k.greenContextId AS green_context_id,
  k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
  k.registersPerThread,
  k.staticSharedMemory,
  k.dynamicSharedMemory,
  k.graphId AS graph_id,
  k.graphNodeId AS graph_node_id,
  NULL::BIGINT AS bytes,
  NULL::VARCHAR AS direction,
  NULL::BOOLEAN AS is_unified,
  NULL::VARCHAR AS source_kind,
  NULL::VARCHAR AS destination_kind,
  NULL::UBIGINT AS virtual_address,
  NULL::BIGINT AS wait_on_event_id,
  coalesce(d.is_communication, b.is_communication, false) AS is_communication,
  NULL::VARCHAR AS args
FROM span AS s
JOIN kernel AS k ON k.rowid = s.row_n
LEFT JOIN name AS d ON d.id = k.demangledName
LEFT JOIN name AS b ON b.id = k.shortName
LEFT JOIN name AS m ON m.id = k.mangledName
WHERE s.family = 'kernel'
UNION ALL
SELECT
  s.rowid, s.family, s.track_n, s.ts, s.dur, 'memcpy',
  concat(
    if(c.is_unified, 'Unified Memcpy ', 'Memcpy '),
    coalesce(c.direction, 'Unknown'),
    if(q.name IS NULL AND z.name IS NULL, '',
      concat(' (', coalesce(q.name, 'Unknown'), ' -> ', coalesce(z.name, 'Unknown'), ')'))
  ),
  NULL, NULL, k.correlationId, k.contextId, k.greenContextId, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, k.graphNodeId, k.bytes, c.direction, c.is_unified, q.name, z.name,
  k.virtualAddress & 9223372036854775807, NULL, false,
  nullif(json_merge_patch('{}', json_object(
    'srcDeviceId', k.srcDeviceId, 'srcContextId', k.srcContextId, 'dstDeviceId', k.dstDeviceId,
    'dstContextId', k.dstContextId, 'migrationCause', k.migrationCause, 'copyCount', k.copyCount
  ))::VARCHAR, '{}')
FROM span AS s
JOIN memcpy AS k ON k.rowid = s.row_n
LEFT JOIN copy_kind AS c ON c.id = k.copyKind
LEFT JOIN memory_kind AS q ON q.id = k.srcKind
LEFT JOIN memory_kind AS z ON z.id = k.dstKind
WHERE s.family = 'memcpy'
UNION ALL
SELECT
  s.rowid, s.family, s.track_n, s.ts, s.dur, 'memset', concat('Memset (', coalesce(q.name, 'Unknown'), ')'),
  NULL, NULL, k.correlationId, k.contextId, k.greenContextId, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, k.graphNodeId, k.bytes, NULL, NULL, q.name, NULL, NULL, NULL, false,
  nullif(json_merge_patch('{}', json_object('value', k.value))::VARCHAR, '{}')
FROM span AS s
JOIN memset AS k ON k.rowid = s.row_n
LEFT JOIN memory_kind AS q ON q.id = k.memKind
WHERE s.family = 'memset'
UNION ALL
SELECT
  s.rowid, s.family, s.track_n, s.ts, s.dur, 'sync', w.kind,
  NULL, NULL, k.correlationId, k.contextId, k.greenContextId, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  nullif(k.eventId, 4294967295),
  false,
  nullif(json_merge_patch('{}', json_object(
    'syncType', coalesce(k.syncType, k.deprecatedSyncType), 'eventSyncId', k.eventSyncId
  ))::VARCHAR, '{}')
FROM span AS s
JOIN sync_op AS k ON k.rowid = s.row_n
JOIN wait_place AS w ON w.row_n = s.row_n
WHERE s.family = 'sync'
UNION ALL
SELECT
  s.rowid, s.family, s.track_n, s.ts, s.dur, 'kernel', concat('CUDA graph ', k.graphId),
  NULL, NULL, k.correlationId, k.contextId, k.greenContextId, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, k.graphId, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false,
  nullif(json_merge_patch('{}', json_object('graphExecId', k.graphExecId))::VARCHAR, '{}')
FROM span AS s
JOIN graph_trace AS k ON k.rowid = s.row_n
WHERE s.family = 'graph';

-- One row a record read.
CREATE VIEW event AS
SELECT rowid FROM kernel UNION ALL SELECT rowid FROM memcpy UNION ALL SELECT rowid FROM memset
UNION ALL SELECT rowid FROM sync_op UNION ALL SELECT rowid FROM graph_trace
UNION ALL SELECT rowid FROM api UNION ALL SELECT rowid FROM nvtx
UNION ALL SELECT rowid FROM thread_event UNION ALL SELECT rowid FROM memory_usage
UNION ALL SELECT rowid FROM cpu_fault UNION ALL SELECT rowid FROM gpu_fault
UNION ALL SELECT rowid FROM gpu_metric;

CREATE TABLE unused AS
SELECT 'table ' || table_name || ': not part of the timeline' AS reason, n FROM unread
UNION ALL
SELECT 'records without a start', n
FROM (
  SELECT count(*) AS n
  FROM (
    SELECT "start" FROM kernel UNION ALL SELECT "start" FROM memcpy
    UNION ALL SELECT "start" FROM memset UNION ALL SELECT "start" FROM sync_op
    UNION ALL SELECT "start" FROM graph_trace UNION ALL SELECT "start" FROM api
    UNION ALL SELECT "start" FROM thread_event UNION ALL SELECT "start" FROM nvtx
    UNION ALL SELECT "start" FROM memory_usage UNION ALL SELECT "start" FROM cpu_fault
    UNION ALL SELECT "start" FROM gpu_fault UNION ALL SELECT timestamp FROM gpu_metric
  )
  WHERE "start" IS NULL
)
WHERE n > 0
UNION ALL
SELECT 'NVTX records that name domains, categories and threads', n
FROM (SELECT count(*) AS n FROM nvtx WHERE eventType IN (FROM nvtx_naming))
WHERE n > 0
UNION ALL
SELECT 'NVTX records of an unknown type', n
FROM (
  SELECT count(*) AS n
  FROM nvtx
  WHERE eventType NOT IN (FROM nvtx_naming) AND eventType NOT IN (SELECT event_type FROM nvtx_style)
)
WHERE n > 0
UNION ALL
SELECT 'diagnostic messages that only inform', n
FROM (SELECT count(*) AS n FROM diagnostic WHERE coalesce(severity, 0) NOT IN (2, 3))
WHERE n > 0;

CREATE TABLE problem AS
SELECT
  if(severity = 3, 'profiler_error', 'profiler_warning') AS kind,
  if(severity = 3, 'error', 'warning') AS severity,
  count(*) AS count,
  left(text, 500) AS meaning
FROM diagnostic
WHERE severity IN (2, 3) AND text IS NOT NULL
GROUP BY ALL
UNION ALL
SELECT 'sync_label', 'note', count(*),
  'waits labelled as another kind than the call that waited; the call''s name counts'
FROM wait_place
WHERE is_corrected
UNION ALL
SELECT 'backtrace_call', 'note', count(*),
  'calls recorded a second time, with a backtrace; they are on tracks of their own and no calls'
FROM api
WHERE eventClass = 67
UNION ALL
SELECT 'hidden_kernels', 'warning', count(*),
  'launches of CUDA graphs recorded as one piece: their kernels are not in the capture; record with '
  '--cuda-graph-trace=node to see them'
FROM graph_trace
UNION ALL
SELECT 'unfinished', 'note', count(*), 'slices that never ended; their dur is -1'
FROM span
WHERE dur = -1
UNION ALL
SELECT 'negative_duration', 'note', count(*), 'slices that end before they start, kept as they are'
FROM span
WHERE dur < -1
UNION ALL
SELECT 'unnamed', 'warning', count(*), 'records whose name is not in the table of texts'
FROM (
  SELECT nameId AS id FROM api
  UNION ALL
  SELECT coalesce(demangledName, shortName) FROM kernel
) AS u
ANTI JOIN name AS n ON n.id = u.id;
