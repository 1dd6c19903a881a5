-- All slices in the order they are stored in, without any lock.
-- In: names.sql, tracks.sql. Out: `span`, `entry` (what the nesting pass orders), `origin`, `label`,
-- `wait_kind`.

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

-- ---- Texts that many slices share -------------------------------------------------------------
-- They are numbers until they are stored: texts are what sorting would take longest for.

-- Properties that all launches of a kernel share: few rows.
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
  FROM kernel_configuration
);

CREATE TABLE used_name AS
SELECT id, value, shown, is_communication,
  -- of calls whose version is not shown
  if(shown <> value, json_object('name', value)::VARCHAR, NULL) AS args
FROM name
SEMI JOIN (
  SELECT demangledName AS id FROM kernel_configuration
  UNION SELECT shortName FROM kernel_configuration
  UNION SELECT mangledName FROM kernel_configuration
  UNION SELECT nameId FROM api
) AS used USING (id);

CREATE TYPE shared_text AS ENUM (
  SELECT text
  FROM (
    SELECT 'kernel' AS text
    UNION SELECT value FROM used_name
    UNION SELECT shown FROM used_name
    UNION SELECT args FROM used_name
    UNION SELECT args FROM kernel_args
  )
  WHERE text IS NOT NULL
);

CREATE TABLE label AS
SELECT id, value::shared_text AS value, shown::shared_text AS shown, args::shared_text AS args,
  is_communication
FROM used_name;

-- Columns of `kernel_configuration` used by slices and device work.
CREATE TABLE configuration AS
SELECT
  c.rowid AS configuration_n,
  coalesce(d.value, b.value, 'kernel'::shared_text) AS name,
  coalesce(b.value, d.value) AS base_name,
  m.value AS mangled_name,
  coalesce(d.is_communication, b.is_communication, false) AS is_communication,
  a.args::shared_text AS args,
  c.registersPerThread, c.gridX, c.gridY, c.gridZ, c.blockX, c.blockY, c.blockZ,
  c.staticSharedMemory, c.dynamicSharedMemory, c.graphId
FROM kernel_configuration AS c
LEFT JOIN label AS d ON d.id = c.demangledName
LEFT JOIN label AS b ON b.id = c.shortName
LEFT JOIN label AS m ON m.id = c.mangledName
LEFT JOIN kernel_args AS a
  ON a.launchType IS NOT DISTINCT FROM c.launchType
  AND a.cacheConfig IS NOT DISTINCT FROM c.cacheConfig
  AND a.localMemoryPerThread IS NOT DISTINCT FROM c.localMemoryPerThread
  AND a.localMemoryTotal IS NOT DISTINCT FROM c.localMemoryTotal
  AND a.sharedMemoryExecuted IS NOT DISTINCT FROM c.sharedMemoryExecuted
  AND a.sharedMemoryLimitConfig IS NOT DISTINCT FROM c.sharedMemoryLimitConfig;

-- The name of a call gives the kind of wait; the labels of some versions are wrong. Of several calls
-- with the id, the last before the wait.
CREATE TABLE wait_kind AS
SELECT
  s.rowid AS row_n,
  coalesce(sync_kind_of_call(max_by(c.shown, c."start")), any_value(k.name), 'Sync') AS kind,
  sync_kind_of_call(max_by(c.shown, c."start")) <> any_value(k.name) AS is_corrected
FROM sync_op AS s
LEFT JOIN sync_kind AS k ON k.id = coalesce(s.syncType, s.deprecatedSyncType)
LEFT JOIN (
  SELECT process_of(a.globalTid) AS process_key, a.correlationId AS correlation_id, n.shown,
    a."start"
  FROM api AS a
  JOIN name AS n ON n.id = a.nameId
  WHERE a.eventClass IS DISTINCT FROM 67 AND EXISTS (FROM sync_op)
) AS c ON c.process_key = process_of(s.globalPid) AND c.correlation_id = s.correlationId
  AND c."start" <= s."start"
GROUP BY s.rowid;

-- ---- Spans ------------------------------------------------------------------------------------

-- In the order of their texts, which is that of the slices.
CREATE TYPE category AS ENUM (
  SELECT category
  FROM (
    SELECT unnest([
      'cuda_driver', 'cuda_runtime', 'cuda_backtrace', 'cuda_sync', 'gpu_memcpy', 'gpu_memset',
      'kernel', 'memory', 'um_cpu_page_fault', 'um_gpu_page_fault', 'user_annotation'
    ]) AS category
    UNION
    SELECT category FROM thread_event
  )
  ORDER BY category
);

CREATE TYPE family AS ENUM (
  'call', 'cpu_fault', 'gpu_fault', 'graph', 'kernel', 'memcpy', 'memory_usage', 'memset', 'range',
  'sync', 'thread_event'
);

-- With the row of their table. What never ended has dur -1; a difference that no 64-bit number holds
-- has it too.
CREATE TABLE span AS
SELECT
  category::category AS category,
  track_n::INTEGER AS track_n,
  "start" - first_ns AS ts,
  coalesce(TRY_CAST("end"::HUGEINT - "start" AS BIGINT), -1) AS dur,
  family::family AS family,
  row_n,
  name,
  args,
  correlation_id,
  result
FROM (
  SELECT c.category, t.track_n, c."start", c."end", 'call' AS family, c.row_n, n.shown AS name,
    n.args, one_id(c.correlationId, t.shift_n) AS correlation_id, c.returnValue AS result
  FROM call AS c
  JOIN thread_track AS t ON t.global_tid = coalesce(c.globalTid, 0)
    AND t.track_kind = if(c.eventClass = 67, 'backtrace', 'thread')
  LEFT JOIN label AS n ON n.id = c.nameId
  UNION ALL
  SELECT 'kernel', t.track_n, k."start", k."end", 'kernel', k.rowid, c.name, c.args, NULL, NULL
  FROM kernel AS k
  JOIN stream_track AS t ON t.process_key = process_of(k.globalPid)
    AND t.device IS NOT DISTINCT FROM k.deviceId
    AND t.context IS NOT DISTINCT FROM k.contextId
    AND t.stream IS NOT DISTINCT FROM stream_of(k.streamId)
  JOIN configuration AS c ON c.configuration_n = k.configuration_n
  WHERE k."start" IS NOT NULL
  UNION ALL
  SELECT
    CASE w.kind WHEN 'memcpy' THEN 'gpu_memcpy' WHEN 'memset' THEN 'gpu_memset'
      WHEN 'sync' THEN 'cuda_sync' ELSE 'kernel' END,
    t.track_n, w."start", w."end", w.kind, w.row_n, NULL, NULL, NULL, NULL
  FROM work AS w
  JOIN stream_track AS t ON t.process_key = w.process_key
    AND t.device IS NOT DISTINCT FROM w.device
    AND t.context IS NOT DISTINCT FROM w.context
    AND t.stream IS NOT DISTINCT FROM w.stream
  WHERE w.kind <> 'kernel'
  UNION ALL
  SELECT e.category, t.track_n, e."start", e."end", 'thread_event', e.rowid, NULL, NULL, NULL, NULL
  FROM thread_event AS e
  JOIN thread_track AS t ON t.global_tid = coalesce(e.globalTid, 0) AND t.track_kind = 'thread'
  WHERE e."start" IS NOT NULL
  UNION ALL
  SELECT 'user_annotation', t.track_n, r."start", r."end", 'range', r.row_n, NULL, NULL, NULL, NULL
  FROM range AS r
  JOIN thread_track AS t ON t.global_tid = coalesce(r.globalTid, 0)
    AND t.track_kind = r.track_kind
  UNION ALL
  SELECT 'memory', l.track_n, m."start", m."start", 'memory_usage', m.rowid, NULL, NULL,
    NULL, NULL
  FROM memory_usage AS m
  JOIN track_number AS l ON l.track_kind = 'memory' AND l.process_key = process_of(m.globalPid)
    AND l.device IS NOT DISTINCT FROM m.deviceId
  WHERE m."start" IS NOT NULL
  UNION ALL
  SELECT 'um_cpu_page_fault', l.track_n, f."start", f."start", 'cpu_fault', f.rowid, NULL, NULL,
    NULL, NULL
  FROM cpu_fault AS f
  JOIN track_number AS l ON l.track_kind = 'cpu_fault' AND l.process_key = process_of(f.globalPid)
  WHERE f."start" IS NOT NULL
  UNION ALL
  SELECT 'um_gpu_page_fault', l.track_n, f."start", f."end", 'gpu_fault', f.rowid, NULL, NULL,
    NULL, NULL
  FROM gpu_fault AS f
  JOIN track_number AS l ON l.track_kind = 'gpu_fault' AND l.process_key = process_of(f.globalPid)
    AND l.device IS NOT DISTINCT FROM f.deviceId
  WHERE f."start" IS NOT NULL
) AS s
CROSS JOIN origin
ORDER BY category, track_n, ts, dur DESC, family, row_n;

-- Only where a slice begins before the one before it ended is there anything to nest; on most streams
-- nothing does. The order is that of the table, which a window without one keeps; sorting again would
-- take longer than nesting all.
CREATE TABLE nested_track AS
SELECT DISTINCT track_n
FROM (
  SELECT
    track_n,
    ts,
    lag(track_n) OVER () AS earlier_track_n,
    lag(ts + greatest(dur, 0)) OVER () AS earlier_end_ts
  FROM span
)
WHERE track_n = earlier_track_n AND ts < earlier_end_ts
UNION
SELECT track_n
FROM span
GROUP BY track_n
-- where several are mixed, or some never ended, the table's order is another than that of nesting
HAVING count(DISTINCT category) > 1 OR bool_or(dur = -1);

CREATE VIEW entry AS
SELECT
  s.rowid AS entry_n,
  s.track_n,
  s.ts,
  if(s.dur = -1, greatest(o.last_ns - o.first_ns - s.ts, 0), greatest(s.dur, 0)) AS reach,
  -- A range of the times of a call is around it.
  s.rowid + if(s.family = 'range', 0, 1::BIGINT << 40) AS seq
FROM span AS s
SEMI JOIN nested_track AS t ON t.track_n = s.track_n
CROSS JOIN origin AS o;
