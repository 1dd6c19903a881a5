-- From the tables of an nvprof database to activities.
-- In: the tables of read.py. Out: the tables of gpu_activity/tables.sql.

-- A time of 0 is one that could not be taken.
CREATE OR REPLACE TEMP MACRO time_of(ns) AS (nullif(ns, 0));

-- CUPTI numbers kinds of memory from 1: pageable, pinned, device, array, managed, ...
CREATE OR REPLACE TEMP MACRO memory_name(kind) AS (
  ['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'][kind]
);

CREATE OR REPLACE TEMP MACRO copy_name(kind) AS (
  ['HtoD', 'DtoH', 'HtoA', 'AtoH', 'AtoA', 'AtoD', 'DtoA', 'DtoD', 'HtoH', 'PtoP'][kind]
);

-- Four bytes of a blob, little-endian.
CREATE OR REPLACE TEMP MACRO word(blob, n) AS (
  TRY_CAST('0x' || hex(blob)[8 * n + 7:8 * n + 8] || hex(blob)[8 * n + 5:8 * n + 6]
    || hex(blob)[8 * n + 3:8 * n + 4] || hex(blob)[8 * n + 1:8 * n + 2] AS BIGINT)
);

CREATE TABLE text_of AS
SELECT _id_ AS id, any_value(value) AS value FROM string GROUP BY _id_;

-- Calls. A call of the runtime and the driver's call inside it may have one id: the outer is the cause.
CREATE TABLE api_call AS
SELECT
  'runtime' AS api, * FROM runtime_call
UNION ALL
SELECT 'driver', * FROM driver_call;

CREATE TABLE caller AS
SELECT
  correlationId AS correlation_id,
  bool_or(api = 'runtime') AS is_runtime,
  arg_max(processId, api) AS process
FROM api_call
WHERE correlationId IS NOT NULL AND correlationId <> 0
GROUP BY correlationId;

-- Whose work it is where no call of it was recorded: the only process there is.
CREATE TABLE sole_process AS
SELECT CASE WHEN count(DISTINCT processId) = 1 THEN any_value(processId) END AS process
FROM (
  SELECT processId FROM api_call
  UNION ALL
  SELECT processId FROM managed
);

INSERT INTO activity BY NAME
SELECT
  a._id_ AS seq,
  'call' AS kind,
  'cuda_' || a.api AS category,
  coalesce(f.name, a.api || '#' || a.cbid) AS name,
  time_of(a.start) AS start_ns,
  time_of(a."end") AS end_ns,
  a.processId::VARCHAR AS process,
  -- stored in 32 bits, with a sign
  CASE WHEN a.threadId < 0 THEN a.threadId + 4294967296 ELSE a.threadId END AS thread,
  CASE WHEN a.api = 'runtime' OR c.is_runtime IS DISTINCT FROM true THEN nullif(a.correlationId, 0)
    END AS correlation_id,
  a.cbid AS callback_id,
  json_of(concat_ws(',',
    '"cbid":' || a.cbid,
    '"correlation":' || a.correlationId,
    '"return_value":' || a.returnValue
  )) AS args_json
FROM api_call AS a
LEFT JOIN function_name AS f ON f.api = a.api AND f.cbid = a.cbid
LEFT JOIN caller AS c ON c.correlation_id = a.correlationId;

INSERT INTO process_info (process, pid)
SELECT DISTINCT processId::VARCHAR, processId FROM api_call WHERE processId IS NOT NULL;

INSERT INTO device_info (
  device, kind, ordinal, name, vendor, uuid, memory_bytes, n_compute_units, clock_hz,
  peak_bytes_per_s, properties_json
)
SELECT
  g.id::VARCHAR,
  'gpu',
  g.id,
  t.value,
  'NVIDIA',
  CASE WHEN octet_length(g.uuid) = 16 THEN nullif(lower(hex(g.uuid)), repeat('00', 16)) END,
  nullif(g.globalMemorySize, 0),
  nullif(g.numMultiprocessors, 0),
  nullif(g.coreClockRate, 0) * 1e3,  -- kHz
  nullif(g.globalMemoryBandwidth, 0) * 1e3,  -- kB/s
  json_object(
    'l2CacheSize', g.l2CacheSize,
    'numThreadsPerWarp', g.numThreadsPerWarp,
    'maxWarpsPerMultiprocessor', g.maxWarpsPerMultiprocessor,
    'computeCapabilityMajor', g.computeCapabilityMajor,
    'computeCapabilityMinor', g.computeCapabilityMinor
  )::VARCHAR
FROM gpu AS g
LEFT JOIN text_of AS t ON t.id = g.name
WHERE g.id IS NOT NULL;

CREATE TABLE context_device AS
SELECT contextId AS context_id, any_value(deviceId) AS device FROM context GROUP BY contextId;

-- Streams belong to contexts; lanes name the context where a process has several.
CREATE TABLE many_contexts AS
SELECT count(DISTINCT contextId) > 1 AS is_so
FROM (
  SELECT contextId FROM concurrent_kernel
  UNION ALL
  SELECT contextId FROM serial_kernel
  UNION ALL
  SELECT contextId FROM memcpy
  UNION ALL
  SELECT contextId FROM memset
);

CREATE OR REPLACE TEMP MACRO track_name_of(context, stream, are_many) AS (
  coalesce('stream ' || nullif(stream, 4294967295), 'context')
  || CASE WHEN are_many THEN ' of context ' || context ELSE '' END
);

INSERT INTO activity BY NAME
SELECT
  k._id_ AS seq,
  'kernel' AS kind,
  'kernel' AS category,
  coalesce(t.value, 'kernel') AS name,
  time_of(k.start) AS start_ns,
  time_of(k."end") AS end_ns,
  coalesce(c.process, s.process)::VARCHAR AS process,
  k.deviceId::VARCHAR AS device,
  track_name_of(k.contextId, k.streamId, m.is_so) AS track_name,
  k.streamId AS stream,
  nullif(k.correlationId, 0) AS correlation_id,
  k.contextId AS context_id,
  k.gridX AS grid_x,
  k.gridY AS grid_y,
  k.gridZ AS grid_z,
  k.blockX AS block_x,
  k.blockY AS block_y,
  k.blockZ AS block_z,
  k.registersPerThread AS registers,
  TRY(k.staticSharedMemory + k.dynamicSharedMemory) AS shared_memory_bytes,
  k.staticSharedMemory AS static_shared_memory_bytes,
  k.dynamicSharedMemory AS dynamic_shared_memory_bytes,
  CASE WHEN k.queued > 0 AND k.start >= k.queued THEN TRY(k.start - k.queued) END AS queued_ns,
  nullif(k.graphId, 0) AS graph_id,
  nullif(k.graphNodeId, 0) AS graph_node_id,
  json_of(concat_ws(',',
    '"grid_id":' || k.gridId,
    '"static_shared_memory":' || k.staticSharedMemory,
    '"dynamic_shared_memory":' || k.dynamicSharedMemory,
    '"local_memory_per_thread":' || k.localMemoryPerThread,
    '"local_memory_total":' || k.localMemoryTotal,
    '"submitted":' || nullif(k.submitted, 0)
  )) AS args_json
FROM (FROM concurrent_kernel UNION ALL FROM serial_kernel) AS k
CROSS JOIN sole_process AS s
CROSS JOIN many_contexts AS m
LEFT JOIN text_of AS t ON t.id = k.name
LEFT JOIN caller AS c ON c.correlation_id = k.correlationId;

INSERT INTO activity BY NAME
SELECT
  k._id_ AS seq,
  'memcpy' AS kind,
  'gpu_memcpy' AS category,
  '[CUDA memcpy' || coalesce(' ' || copy_name(k.copyKind), '') || ']' AS name,
  time_of(k.start) AS start_ns,
  time_of(k."end") AS end_ns,
  coalesce(c.process, r.process, s.process)::VARCHAR AS process,
  k.deviceId::VARCHAR AS device,
  track_name_of(k.contextId, k.streamId, m.is_so) AS track_name,
  k.streamId AS stream,
  CASE WHEN r.is_runtime THEN k.runtimeCorrelationId ELSE nullif(k.correlationId, 0) END
    AS correlation_id,
  k.contextId AS context_id,
  k.bytes,
  copy_name(k.copyKind) AS direction,
  memory_name(k.srcKind) AS source_memory_kind,
  memory_name(k.dstKind) AS destination_memory_kind,
  nullif(k.graphId, 0) AS graph_id,
  nullif(k.graphNodeId, 0) AS graph_node_id,
  json_of(concat_ws(',',
    '"src_memory":' || quoted(memory_name(k.srcKind)),
    '"dst_memory":' || quoted(memory_name(k.dstKind)),
    '"is_async":' || (CASE WHEN k.flags & 1 = 1 THEN true END),
    '"src_device":' || k.srcDeviceId,
    '"dst_device":' || k.dstDeviceId
  )) AS args_json
FROM (FROM memcpy UNION ALL BY NAME FROM peer_memcpy) AS k
CROSS JOIN sole_process AS s
CROSS JOIN many_contexts AS m
LEFT JOIN caller AS c ON c.correlation_id = k.correlationId
LEFT JOIN caller AS r ON r.correlation_id = k.runtimeCorrelationId;

INSERT INTO activity BY NAME
SELECT
  k._id_ AS seq,
  'memset' AS kind,
  'gpu_memset' AS category,
  '[CUDA memset]' AS name,
  time_of(k.start) AS start_ns,
  time_of(k."end") AS end_ns,
  coalesce(c.process, s.process)::VARCHAR AS process,
  k.deviceId::VARCHAR AS device,
  track_name_of(k.contextId, k.streamId, m.is_so) AS track_name,
  k.streamId AS stream,
  nullif(k.correlationId, 0) AS correlation_id,
  k.contextId AS context_id,
  k.bytes,
  memory_name(k.memoryKind) AS source_memory_kind,
  json_of(concat_ws(',',
    '"value":' || k.value,
    '"memory":' || quoted(memory_name(k.memoryKind))
  )) AS args_json
FROM memset AS k
CROSS JOIN sole_process AS s
CROSS JOIN many_contexts AS m
LEFT JOIN caller AS c ON c.correlation_id = k.correlationId;

INSERT INTO activity BY NAME
SELECT
  w._id_ AS seq,
  'sync' AS kind,
  'cuda_sync' AS category,
  coalesce(
    ['Event Sync', 'Stream Wait Event', 'Stream Sync', 'Context Sync'][w.type], 'Synchronization'
  ) AS name,
  time_of(w.start) AS start_ns,
  time_of(w."end") AS end_ns,
  coalesce(c.process, s.process)::VARCHAR AS process,
  d.device::VARCHAR AS device,
  track_name_of(w.contextId, w.streamId, m.is_so) AS track_name,
  nullif(w.streamId, 4294967295) AS stream,
  nullif(w.correlationId, 0) AS correlation_id,
  w.contextId AS context_id,
  ['Event Sync', 'Stream Wait Event', 'Stream Sync', 'Context Sync'][w.type] AS sync_kind,
  CASE WHEN w.type <= 2 THEN nullif(w.cudaEventId, 4294967295) END AS wait_on_event_id
FROM wait AS w
CROSS JOIN sole_process AS s
CROSS JOIN many_contexts AS m
LEFT JOIN caller AS c ON c.correlation_id = w.correlationId
LEFT JOIN context_device AS d ON d.context_id = w.contextId;

-- Managed memory: migrations and page faults. Older releases record one time.
CREATE TABLE managed_record AS
SELECT
  *,
  coalesce(counterKind IN (1, 2, 8), false) AS is_copy,
  [
    'Memcpy HtoD', 'Memcpy DtoH', 'CPU page faults', 'GPU page faults', 'thrashing', 'throttling',
    'remote maps', 'Memcpy DtoD'
  ][counterKind] AS what
FROM managed;

INSERT INTO activity BY NAME
SELECT
  u._id_ AS seq,
  CASE WHEN u.is_copy THEN 'memcpy' ELSE 'other' END AS kind,
  CASE
    WHEN u.is_copy THEN 'gpu_memcpy'
    WHEN u.counterKind = 3 THEN 'um_cpu_page_fault'
    WHEN u.counterKind = 4 THEN 'um_gpu_page_fault'
    ELSE 'unified_memory'
  END AS category,
  '[Unified Memory' || coalesce(' ' || u.what, '') || ']' AS name,
  time_of(coalesce(u.start, u.timestamp)) AS start_ns,
  CASE WHEN u.counterKind = 3 OR u.start IS NULL THEN time_of(coalesce(u.start, u.timestamp))
    ELSE time_of(u."end") END AS end_ns,
  coalesce(u.processId, s.process)::VARCHAR AS process,
  -- thrashing names several devices
  coalesce(
    u.deviceId,
    CASE WHEN u.counterKind IN (1, 8) THEN u.dstId WHEN u.counterKind IN (2, 4, 6, 7) THEN u.srcId END
  )::VARCHAR AS device,
  CASE
    WHEN u.is_copy THEN 'copies of managed memory'
    WHEN u.counterKind = 4 THEN 'page faults of managed memory'
    WHEN u.counterKind IN (6, 7) THEN 'managed memory'
  END AS track_name,
  CASE WHEN u.is_copy THEN u.value END AS bytes,
  CASE WHEN u.is_copy THEN right(u.what, 4) END AS direction,
  nullif(u.is_copy, false) AS is_unified,
  CASE WHEN u.is_copy THEN TRY_CAST(u.address AS UBIGINT) END AS address,
  json_of(concat_ws(',',
    '"address":' || u.address,
    CASE u.counterKind WHEN 3 THEN '"CpuInstruction":' WHEN 4 THEN '"numberOfPageFaults":'
      ELSE '"value":' END || u.value,
    '"flags":' || nullif(u.flags, 0)
  )) AS args_json
FROM managed_record AS u
CROSS JOIN sole_process AS s;

-- NVTX: what starts and what ends share an id; 1 is an instant, 2 a start, 4 an end.
CREATE TABLE half AS
SELECT
  m.*,
  CASE WHEN m.objectKind IN (1, 2) THEN word(m.objectId, 0) END AS process,
  CASE WHEN m.objectKind = 2 THEN word(m.objectId, 1) END AS thread
FROM marker AS m;

INSERT INTO activity BY NAME
SELECT
  b._id_ AS seq,
  'range' AS kind,
  'user_annotation' AS category,
  coalesce(t.value, '') AS name,
  time_of(b.timestamp) AS start_ns,
  CASE WHEN b.flags & 1 = 1 THEN time_of(b.timestamp) ELSE time_of(e.timestamp) END AS end_ns,
  coalesce(b.process, s.process)::VARCHAR AS process,
  b.thread,
  b.id AS external_id,
  coalesce(d.value, '') AS domain,
  json_of(concat_ws(',',
    '"id":' || b.id
  )) AS args_json
FROM half AS b
CROSS JOIN sole_process AS s
LEFT JOIN (SELECT id, min(timestamp) AS timestamp FROM half WHERE flags & 4 = 4 GROUP BY id) AS e
  ON e.id = b.id AND b.flags & 2 = 2
LEFT JOIN text_of AS t ON t.id = b.name
LEFT JOIN text_of AS d ON d.id = b.domain
WHERE b.flags & 3 <> 0;

INSERT INTO not_used
SELECT 'ends of ranges that never began', count(*)
FROM half AS e
ANTI JOIN (SELECT id FROM half WHERE flags & 2 = 2) AS b ON b.id = e.id
WHERE e.flags & 7 = 4;

INSERT INTO activity BY NAME
SELECT
  o._id_ AS seq,
  'other' AS kind,
  'overhead' AS category,
  CASE o.overheadKind
    WHEN 1 THEN 'Driver Compiler'
    WHEN 65536 THEN 'Activity Buffer Flush'
    WHEN 131072 THEN 'Instrumentation'
    WHEN 196608 THEN 'Resource'
    ELSE 'overhead' || coalesce(' ' || o.overheadKind, '')
  END AS name,
  time_of(o.start) AS start_ns,
  time_of(o."end") AS end_ns,
  coalesce(nullif(CASE WHEN o.objectKind IN (1, 2) THEN word(o.objectId, 0) END, 0), s.process)
    ::VARCHAR AS process,
  CASE WHEN o.objectKind = 2 THEN word(o.objectId, 1) END AS thread
FROM overhead AS o
CROSS JOIN sole_process AS s;

INSERT INTO thread_info
SELECT word(n.objectId, 0)::VARCHAR, word(n.objectId, 1), t.value
FROM object_name AS n
JOIN text_of AS t ON t.id = n.name
WHERE n.objectKind = 2;

INSERT INTO not_used
SELECT name, n FROM unread;

INSERT INTO defect
SELECT 'unnamed_call', 'note', count(*), 'calls of functions without a known name'
FROM activity
WHERE kind = 'call' AND contains(name, '#')
UNION ALL
SELECT 'hidden_kernels', 'warning', n,
  'CUDA graph launches recorded as a whole, without their kernels'
FROM unread
WHERE name = 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE';

INSERT INTO record_count
SELECT 'concurrent_kernel', count(*) FROM concurrent_kernel
UNION ALL
SELECT 'serial_kernel', count(*) FROM serial_kernel
UNION ALL
SELECT 'memcpy', count(*) FROM memcpy
UNION ALL
SELECT 'peer_memcpy', count(*) FROM peer_memcpy
UNION ALL
SELECT 'memset', count(*) FROM memset
UNION ALL
SELECT 'runtime_call', count(*) FROM runtime_call
UNION ALL
SELECT 'driver_call', count(*) FROM driver_call
UNION ALL
SELECT 'marker', count(*) FROM marker
UNION ALL
SELECT 'overhead', count(*) FROM overhead
UNION ALL
SELECT 'wait', count(*) FROM wait
UNION ALL
SELECT 'managed', count(*) FROM managed
UNION ALL
SELECT name, n FROM unread;

INSERT INTO merged
SELECT 'ends of ranges', count(*)
FROM half AS e
SEMI JOIN (SELECT id FROM half WHERE flags & 2 = 2) AS b ON b.id = e.id
WHERE e.flags & 7 = 4;

INSERT INTO not_used
SELECT 'markers of an unknown kind', count(*)
FROM half
WHERE coalesce(flags & 7, 0) = 0;
