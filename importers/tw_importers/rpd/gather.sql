-- From the tables of an RPD database to activities.
-- In: the tables of read.py. Out: the tables of gpu_activity/tables.sql.

CREATE TABLE text_of AS
SELECT id, any_value(string) AS value FROM rocpd_string GROUP BY id;

-- Arguments have a table of texts of their own in schema 2.
CREATE TABLE argument_of AS
SELECT id, any_value(string) AS value
FROM (
  FROM rocpd_ustring
  UNION ALL
  SELECT * FROM rocpd_string WHERE NOT EXISTS (FROM rocpd_ustring)
)
GROUP BY id;

CREATE TABLE caused AS
SELECT op_id, min(api_id) AS api_id FROM rocpd_api_ops GROUP BY op_id;

-- Ids are unique, but in a damaged file.
CREATE TABLE call_of AS
SELECT id, any_value(pid) AS pid, any_value(apiName_id) AS apiName_id FROM rocpd_api GROUP BY id;

CREATE TABLE code_object AS
SELECT id, any_value(vgpr) AS vgpr, any_value(sgpr) AS sgpr
FROM rocpd_kernelcodeobject
GROUP BY id;

INSERT INTO process_info (process, pid)
SELECT DISTINCT pid::VARCHAR, pid FROM rocpd_api WHERE pid IS NOT NULL;

CREATE TABLE sole_process AS
SELECT CASE WHEN count(DISTINCT pid) = 1 THEN any_value(pid) END AS pid FROM rocpd_api;

INSERT INTO device_info (device, kind, ordinal, vendor)
SELECT DISTINCT gpuId::VARCHAR, 'gpu', gpuId, 'AMD' FROM rocpd_op WHERE gpuId IS NOT NULL;

-- A call is what its operations name. Markers of users are calls of a name of their own.
INSERT INTO activity BY NAME
SELECT
  a.id AS seq,
  CASE
    WHEN n.value = 'UserMarker' OR d.value ILIKE '%roctx%' THEN 'range'
    WHEN communication_of(n.value) IS NOT NULL THEN 'collective'
    WHEN n.value LIKE 'hip%' OR n.value LIKE 'hsa%' THEN 'call'
    ELSE 'other'
  END AS kind,
  CASE
    WHEN n.value = 'UserMarker' OR d.value ILIKE '%roctx%' THEN 'user_annotation'
    WHEN n.value LIKE 'hip%' THEN 'hip_runtime'
    WHEN n.value LIKE 'hsa%' THEN 'hsa_driver'
    ELSE lower(coalesce(nullif(d.value, ''), 'api'))
  END AS category,
  CASE WHEN n.value = 'UserMarker' THEN coalesce(nullif(g.value, ''), n.value)
    ELSE coalesce(n.value, 'call') END AS name,
  a.start AS start_ns,
  a."end" AS end_ns,
  a.pid::VARCHAR AS process,
  a.tid AS thread,
  a.id AS correlation_id,
  CASE WHEN n.value = 'UserMarker' THEN nullif(c.value, '') END AS domain,
  nullif(json_merge_patch('{}', json_object(
    'args', CASE WHEN n.value <> 'UserMarker' THEN nullif(g.value, '') END,
    'domain', nullif(d.value, ''), 'category', nullif(c.value, '')
  ))::VARCHAR, '{}') AS args_json
FROM rocpd_api AS a
LEFT JOIN text_of AS n ON n.id = a.apiName_id
LEFT JOIN argument_of AS g ON g.id = a.args_id
LEFT JOIN text_of AS d ON d.id = a.domain_id
LEFT JOIN text_of AS c ON c.id = a.category_id;

-- Grids of hipExtModuleLaunchKernel and its like, and all of schema 1, are in work-items.
CREATE TABLE kernel_info AS
SELECT
  o.id AS op_id,
  k.* EXCLUDE (key, is_of_call),
  NOT k.is_of_call OR n.value LIKE 'hipExt%' OR n.value LIKE 'hipHcc%' AS is_work_items
FROM rocpd_op AS o
LEFT JOIN caused AS c ON c.op_id = o.id
JOIN (
  SELECT api_ptr_id AS key, true AS is_of_call, * EXCLUDE (api_ptr_id),
    NULL::BIGINT AS codeObject_id
  FROM rocpd_kernelapi
  UNION ALL BY NAME
  SELECT op_ptr_id AS key, false AS is_of_call, * EXCLUDE (op_ptr_id) FROM rocpd_kernelop
) AS k ON k.key = CASE WHEN k.is_of_call THEN c.api_id ELSE o.id END
LEFT JOIN call_of AS a ON a.id = c.api_id
LEFT JOIN text_of AS n ON n.id = a.apiName_id
QUALIFY row_number() OVER (PARTITION BY o.id ORDER BY k.is_of_call, k.kernelName_id) = 1;

CREATE TABLE copy_info AS
SELECT o.id AS op_id, k.* EXCLUDE (key, is_of_call)
FROM rocpd_op AS o
LEFT JOIN caused AS c ON c.op_id = o.id
JOIN (
  SELECT api_ptr_id AS key, true AS is_of_call, * EXCLUDE (api_ptr_id) FROM rocpd_copyapi
  UNION ALL BY NAME
  SELECT op_ptr_id AS key, false AS is_of_call, * EXCLUDE (op_ptr_id) FROM rocpd_copyop
) AS k ON k.key = CASE WHEN k.is_of_call THEN c.api_id ELSE o.id END
QUALIFY row_number() OVER (PARTITION BY o.id ORDER BY k.is_of_call, k.size) = 1;

CREATE TABLE operation AS
SELECT
  o.*,
  c.api_id,
  a.pid,
  t.value AS op_type,
  d.value AS description,
  CASE
    WHEN t.value ILIKE '%kernel%' OR t.value = 'Task' THEN 'kernel'
    WHEN t.value ILIKE '%copy%' THEN 'memcpy'
    WHEN t.value ILIKE '%fill%' OR t.value ILIKE '%memset%' THEN 'memset'
    ELSE 'other'
  END AS kind
FROM rocpd_op AS o
LEFT JOIN caused AS c ON c.op_id = o.id
LEFT JOIN call_of AS a ON a.id = c.api_id
LEFT JOIN text_of AS t ON t.id = o.opType_id
LEFT JOIN text_of AS d ON d.id = o.description_id;

INSERT INTO activity BY NAME
SELECT
  o.id AS seq,
  o.kind,
  CASE o.kind WHEN 'memcpy' THEN 'gpu_memcpy' WHEN 'memset' THEN 'gpu_memset'
    WHEN 'kernel' THEN 'kernel' ELSE 'device_other' END AS category,
  CASE o.kind
    WHEN 'kernel' THEN coalesce(nullif(n.value, ''), nullif(o.description, ''), o.op_type, 'kernel')
    ELSE coalesce(nullif(o.op_type, ''), nullif(o.description, ''), o.kind)
  END AS name,
  o.start AS start_ns,
  o."end" AS end_ns,
  coalesce(o.pid, s.pid)::VARCHAR AS process,
  coalesce(o.gpuId::VARCHAR, '?') AS device,
  'queue ' || o.queueId AS track_name,
  o.queueId AS stream,
  o.api_id AS correlation_id,
  CASE WHEN k.is_work_items THEN blocks(k.gridX, k.workgroupX) ELSE nullif(k.gridX, 0) END
    AS grid_x,
  CASE WHEN k.is_work_items THEN blocks(k.gridY, k.workgroupY) ELSE nullif(k.gridY, 0) END
    AS grid_y,
  CASE WHEN k.is_work_items THEN blocks(k.gridZ, k.workgroupZ) ELSE nullif(k.gridZ, 0) END
    AS grid_z,
  nullif(k.workgroupX, 0) AS block_x,
  nullif(k.workgroupY, 0) AS block_y,
  nullif(k.workgroupZ, 0) AS block_z,
  r.vgpr AS registers,
  k.groupSegmentSize AS shared_memory_bytes,
  c.size AS bytes,
  o.id::VARCHAR AS dispatch,
  CASE
    WHEN o.kind <> 'memcpy' THEN NULL
    WHEN o.op_type ILIKE '%HostToDevice%' THEN 'HtoD'
    WHEN o.op_type ILIKE '%DeviceToHost%' THEN 'DtoH'
    WHEN o.op_type ILIKE '%DeviceToDevice%' THEN 'DtoD'
    ELSE ['HtoD', 'DtoH', 'DtoD'][c.kind]
  END AS direction,
  nullif(json_merge_patch('{}', json_object(
    'sequence_id', nullif(o.sequenceId, 0), 'scratch_bytes', k.privateSegmentSize, 'sgpr', r.sgpr,
    'stream', nullif(coalesce(k.stream, c.stream), ''), 'is_sync', c.sync, 'is_pinned', c.pinned
  ))::VARCHAR, '{}') AS args_json
FROM operation AS o
CROSS JOIN sole_process AS s
LEFT JOIN kernel_info AS k ON k.op_id = o.id AND o.kind = 'kernel'
LEFT JOIN copy_info AS c ON c.op_id = o.id AND o.kind <> 'kernel'
LEFT JOIN text_of AS n ON n.id = k.kernelName_id
LEFT JOIN code_object AS r ON r.id = k.codeObject_id;

INSERT INTO figure
SELECT c.id, c.op_id::VARCHAR, coalesce(o.gpuId::VARCHAR, '?'), NULL, n.value, c.value, NULL
FROM rocpd_counter AS c
LEFT JOIN (SELECT id, any_value(gpuId) AS gpuId FROM rocpd_op GROUP BY id) AS o ON o.id = c.op_id
LEFT JOIN text_of AS n ON n.id = c.name_id;

INSERT INTO not_used
SELECT 'table ' || name || ': not part of the timeline', n FROM unread;

INSERT INTO record_count
SELECT 'rocpd_api', count(*) FROM rocpd_api
UNION ALL
SELECT 'rocpd_op', count(*) FROM rocpd_op
UNION ALL
SELECT 'rocpd_counter', count(*) FROM rocpd_counter
UNION ALL
SELECT name, n FROM unread;
