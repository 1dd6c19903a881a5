-- Device work other than kernels, with the names and columns of each kind: `described`.
-- In: names.sql, spans.sql.

CREATE VIEW described AS
SELECT
  s.rowid AS slice_n,
  s.category,
  s.track_n,
  s.ts,
  s.dur,
  'memcpy' AS kind,
  concat(
    if(c.is_unified, 'Unified Memcpy ', 'Memcpy '),
    coalesce(c.direction, 'Unknown'),
    if(q.name IS NULL AND z.name IS NULL, '',
      concat(' (', coalesce(q.name, 'Unknown'), ' -> ', coalesce(z.name, 'Unknown'), ')'))
  ) AS name,
  k.correlationId AS correlation_id,
  k.contextId AS context_id,
  k.greenContextId AS green_context_id,
  NULL::BIGINT AS graph_id,
  k.graphNodeId AS graph_node_id,
  k.bytes,
  c.direction,
  c.is_unified,
  q.name AS source_kind,
  z.name AS destination_kind,
  k.virtualAddress & 9223372036854775807 AS virtual_address,
  NULL::BIGINT AS wait_on_event_id,
  nullif(json_merge_patch('{}', json_object(
    'srcDeviceId', k.srcDeviceId, 'srcContextId', k.srcContextId, 'dstDeviceId', k.dstDeviceId,
    'dstContextId', k.dstContextId, 'migrationCause', k.migrationCause, 'copyCount', k.copyCount
  ))::VARCHAR, '{}') AS args
FROM span AS s
JOIN memcpy AS k ON k.rowid = s.row_n
LEFT JOIN copy_kind AS c ON c.id = k.copyKind
LEFT JOIN memory_kind AS q ON q.id = k.srcKind
LEFT JOIN memory_kind AS z ON z.id = k.dstKind
WHERE s.family = 'memcpy'
UNION ALL
SELECT
  s.rowid, s.category, s.track_n, s.ts, s.dur, 'memset',
  concat('Memset (', coalesce(q.name, 'Unknown'), ')'), k.correlationId, k.contextId,
  k.greenContextId, NULL, k.graphNodeId, k.bytes, NULL, NULL, q.name, NULL, NULL, NULL,
  nullif(json_merge_patch('{}', json_object('value', k.value))::VARCHAR, '{}')
FROM span AS s
JOIN memset AS k ON k.rowid = s.row_n
LEFT JOIN memory_kind AS q ON q.id = k.memKind
WHERE s.family = 'memset'
UNION ALL
SELECT
  s.rowid, s.category, s.track_n, s.ts, s.dur, 'sync', w.kind, k.correlationId, k.contextId,
  k.greenContextId, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, nullif(k.eventId, 4294967295),
  nullif(json_merge_patch('{}', json_object(
    'syncType', coalesce(k.syncType, k.deprecatedSyncType), 'eventSyncId', k.eventSyncId
  ))::VARCHAR, '{}')
FROM span AS s
JOIN sync_op AS k ON k.rowid = s.row_n
JOIN wait_kind AS w ON w.row_n = s.row_n
WHERE s.family = 'sync'
UNION ALL
SELECT
  s.rowid, s.category, s.track_n, s.ts, s.dur, 'kernel', concat('CUDA graph ', k.graphId),
  k.correlationId, k.contextId, k.greenContextId, k.graphId, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, nullif(json_merge_patch('{}', json_object('graphExecId', k.graphExecId))::VARCHAR, '{}')
FROM span AS s
JOIN graph_trace AS k ON k.rowid = s.row_n
WHERE s.family = 'graph';
