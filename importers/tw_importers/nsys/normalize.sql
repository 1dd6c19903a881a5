-- From spans and tracks to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO process (id, trace_id, pid, name, rank, source_pid)
SELECT
  getvariable('first_id') + process_n, getvariable('trace_id'), pid, name, rank, pid::VARCHAR
FROM scratch.process_number
ORDER BY process_n;

INSERT INTO thread (id, trace_id, process_id, tid, name, is_main, source_tid, priority)
SELECT
  getvariable('first_id') + thread_n, getvariable('trace_id'), getvariable('first_id') + process_n,
  tid, name, tid = pid, tid::VARCHAR, priority
FROM scratch.thread_number
ORDER BY thread_n;

INSERT INTO device (
  id, trace_id, kind, ordinal, name, vendor, uuid, memory_bytes, n_compute_units, clock_hz,
  peak_bytes_per_s, properties_json
)
SELECT
  getvariable('first_id') + device_n,
  getvariable('trace_id'),
  'gpu',
  ordinal,
  properties ->> 'name',
  'NVIDIA',
  properties ->> 'uuid',
  (properties ->> 'totalMemory')::BIGINT,
  (properties ->> 'smCount')::BIGINT,
  nullif((properties ->> 'clockRate')::DOUBLE, 0),
  nullif((properties ->> 'memoryBandwidth')::DOUBLE, 0),
  properties::VARCHAR
FROM scratch.device_number
ORDER BY device_n;

INSERT INTO track (
  id, trace_id, kind, name, process_id, thread_id, device_id, stream, sort_index
)
SELECT
  getvariable('first_id') + l.track_n,
  getvariable('trace_id'),
  CASE l.track_kind WHEN 'thread' THEN 'thread' WHEN 'stream' THEN 'stream' WHEN 'memory' THEN 'engine'
    ELSE 'async' END,
  CASE l.track_kind
    WHEN 'thread' THEN coalesce(t.name, 'thread ' || t.tid)
    WHEN 'range' THEN coalesce(t.name, 'thread ' || t.tid) || ': start and end ranges'
    WHEN 'handed_range' THEN coalesce(t.name, 'thread ' || t.tid) || ': ranges ended by other threads'
    WHEN 'backtrace' THEN coalesce(t.name, 'thread ' || t.tid) || ': calls with backtraces'
    WHEN 'stream' THEN coalesce('stream ' || l.stream, 'waits')
      || if(l.is_ambiguous, coalesce(', context ' || l.context, ''), '')
    WHEN 'memory' THEN 'device memory'
    ELSE 'page faults of managed memory'
  END,
  getvariable('first_id') + l.process_n,
  if(l.track_kind IN ('thread', 'range'), getvariable('first_id') + l.thread_n, NULL),
  getvariable('first_id') + l.device_n,
  l.stream,
  l.track_n
FROM scratch.track_number AS l
LEFT JOIN scratch.thread_number AS t ON t.thread_n = l.thread_n
ORDER BY l.track_n;

INSERT INTO track (id, trace_id, kind, name, device_id, unit, sort_index)
SELECT
  getvariable('first_id') + track_n, getvariable('trace_id'), 'counter', name,
  getvariable('first_id') + device_n, unit, track_n
FROM scratch.metric_track
ORDER BY track_n;

INSERT INTO counter
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY l.track_n, m.timestamp, m.rowid) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + l.track_n,
  m.timestamp - o.first_ns,
  m.value
FROM scratch.gpu_metric AS m
JOIN scratch.metric_track AS l
  ON l.type_id IS NOT DISTINCT FROM m.typeId AND l.metric_id IS NOT DISTINCT FROM m.metricId
CROSS JOIN scratch.origin AS o
WHERE m.timestamp IS NOT NULL
ORDER BY l.track_n, m.timestamp, m.rowid;

-- Sorted once more, narrow as the rows are before they get their texts: what comes out of a join,
-- DuckDB inserts with one thread.
INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, phase, args_json,
  is_leaf
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  category::VARCHAR,
  coalesce(name_label::VARCHAR, name),
  coalesce(depth, 0),
  getvariable('first_id') + parent_n,
  if(is_instant, 'i', NULL),
  coalesce(args_label::VARCHAR, args),
  CASE WHEN is_parent IS NULL THEN true END
FROM (
  SELECT s.*, n.depth, n.parent_n, n.is_parent
  FROM (
    SELECT rowid AS slice_n, track_n, ts, dur, category, name AS name_label, args AS args_label,
      NULL::VARCHAR AS name, NULL::VARCHAR AS args, false AS is_instant
    FROM scratch.span
    WHERE family IN ('kernel', 'call')
    UNION ALL
    SELECT slice_n, track_n, ts, dur, category, NULL, NULL, name, args, false
    FROM scratch.described
    UNION ALL
    SELECT s.rowid, s.track_n, s.ts, s.dur, s.category, NULL, NULL, n.shown,
      nullif(json_merge_patch('{}', json_object(
        'returnValue', nullif(e.returnValue, 0), 'nestingLevel', e.nestingLevel, 'tag', e.tag,
        'remoteRank', e.remoteRank, 'rootRank', e.rootRank, 'size', e.size,
        'recvSize', e.recvSize, 'commHandle', e.commHandle, 'requestHandle', e.requestHandle,
        'graphNodeId', e.graphNodeId, 'originalGraphNodeId', e.originalGraphNodeId,
        'lineNo', e.lineNo, 'bytes', e.bytes,
        'eventClass', if(e.eventClass IN (31, 32), e.eventClass, NULL)
      ))::VARCHAR, '{}'),
      false
    FROM scratch.span AS s
    JOIN scratch.thread_event AS e ON e.rowid = s.row_n
    LEFT JOIN scratch.name AS n ON n.id = coalesce(e.nameId, e.textId)
    WHERE s.family = 'thread_event'
    UNION ALL
    SELECT s.rowid, s.track_n, s.ts, s.dur, s.category, NULL, NULL, r.name, nullif(r.args, '{}'),
      r.style = 'mark'
    FROM scratch.span AS s
    JOIN scratch.range AS r ON r.row_n = s.row_n
    WHERE s.family = 'range'
    UNION ALL
    SELECT s.rowid, s.track_n, s.ts, s.dur, s.category, NULL, NULL,
      if(m.memoryOperationType = 1, 'release', 'allocate'),
      json_merge_patch('{}', json_object(
        'Bytes', m.bytes, 'Addr', m.address, 'Memory', k.name, 'Name', m.name,
        'correlation', m.correlationId
      ))::VARCHAR,
      true
    FROM scratch.span AS s
    JOIN scratch.memory_usage AS m ON m.rowid = s.row_n
    LEFT JOIN scratch.memory_kind AS k ON k.id = m.memKind
    WHERE s.family = 'memory_usage'
    UNION ALL
    SELECT s.rowid, s.track_n, s.ts, s.dur, s.category, NULL, NULL, 'CPU page fault',
      json_merge_patch('{}', json_object(
        'address', f.address, 'CpuInstruction', f.CpuInstruction, 'module', n.value
      ))::VARCHAR,
      true
    FROM scratch.span AS s
    JOIN scratch.cpu_fault AS f ON f.rowid = s.row_n
    LEFT JOIN scratch.name AS n ON n.id = f.module
    WHERE s.family = 'cpu_fault'
    UNION ALL
    SELECT s.rowid, s.track_n, s.ts, s.dur, s.category, NULL, NULL, 'GPU page faults',
      json_merge_patch('{}', json_object(
        'address', f.address, 'numberOfPageFaults', f.numberOfPageFaults,
        'faultAccessType', f.faultAccessType
      ))::VARCHAR,
      false
    FROM scratch.span AS s
    JOIN scratch.gpu_fault AS f ON f.rowid = s.row_n
    WHERE s.family = 'gpu_fault'
  ) AS s
  LEFT JOIN (
    SELECT entry_n, depth, parent_n, CASE WHEN is_leaf IS NULL THEN true END AS is_parent
    FROM scratch.nest
    WHERE depth > 0 OR is_leaf IS NULL
  ) AS n ON n.entry_n = s.slice_n
  ORDER BY s.slice_n
);

INSERT INTO gpu_op (
  slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, correlation_id,
  context_id, bytes, direction, grid_x, grid_y, grid_z, block_x, block_y, block_z,
  registers_per_thread, shared_memory_bytes, graph_id, graph_node_id, sync_kind, wait_on_event_id,
  base_name, mangled_name, static_shared_memory_bytes, dynamic_shared_memory_bytes,
  source_memory_kind, destination_memory_kind, green_context_id, is_unified, virtual_address
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  getvariable('first_id') + device_n,
  ts,
  dur,
  name::VARCHAR,
  'kernel',
  if(is_communication, 'communication', 'compute'),
  stream,
  correlationId,
  contextId,
  NULL,
  NULL,
  gridX, gridY, gridZ, blockX, blockY, blockZ,
  registersPerThread,
  TRY(staticSharedMemory + dynamicSharedMemory),
  graphId,
  graphNodeId,
  NULL,
  NULL,
  base_name::VARCHAR,
  mangled_name::VARCHAR,
  staticSharedMemory,
  dynamicSharedMemory,
  NULL,
  NULL,
  greenContextId,
  NULL,
  NULL
FROM (
  SELECT
    s.rowid AS slice_n, s.track_n, l.device_n, s.ts, s.dur, s.name, l.stream, c.base_name,
    c.mangled_name, c.is_communication, one_id(k.correlationId, l.shift_n) AS correlationId,
    k.contextId, c.gridX, c.gridY, c.gridZ, c.blockX, c.blockY, c.blockZ, c.registersPerThread,
    c.staticSharedMemory, c.dynamicSharedMemory, c.graphId, k.graphNodeId, k.greenContextId
  FROM scratch.kernel AS k
  JOIN scratch.span AS s ON s.row_n = k.rowid AND s.family = 'kernel'
  JOIN scratch.track_number AS l ON l.track_n = s.track_n
  JOIN scratch.configuration AS c ON c.configuration_n = k.configuration_n
  ORDER BY s.rowid
)
UNION ALL
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  getvariable('first_id') + device_n,
  ts,
  dur,
  name,
  kind,
  CASE kind WHEN 'sync' THEN 'sync' WHEN 'kernel' THEN 'compute' ELSE 'memory' END,
  stream,
  correlation_id,
  context_id,
  bytes,
  direction,
  NULL, NULL, NULL, NULL, NULL, NULL,
  NULL,
  NULL,
  graph_id,
  graph_node_id,
  if(kind = 'sync', name, NULL),
  wait_on_event_id,
  NULL,
  NULL,
  NULL,
  NULL,
  source_kind,
  destination_kind,
  green_context_id,
  is_unified,
  virtual_address
FROM (
  SELECT
    d.* REPLACE (one_id(d.correlation_id, l.shift_n) AS correlation_id), l.device_n, l.stream
  FROM scratch.described AS d
  JOIN scratch.track_number AS l ON l.track_n = d.track_n
  ORDER BY d.slice_n
);

INSERT INTO launch (
  slice_id, trace_id, track_id, ts, dur, name, category, correlation_id, result
)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  name::VARCHAR,
  category::VARCHAR,
  correlation_id,
  result
FROM scratch.span
WHERE family = 'call' AND category <> 'cuda_backtrace';

INSERT INTO annotation (
  slice_id, trace_id, track_id, ts, dur, name, side, domain, external_id, style, category
)
SELECT
  getvariable('first_id') + s.rowid,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  r.name,
  'host',
  r.domain,
  r.range_id,
  r.style,
  r.category
FROM scratch.span AS s
JOIN scratch.range AS r ON r.row_n = s.row_n
WHERE s.family = 'range'
ORDER BY s.rowid;

-- Allocated bytes after the event, of this process on this device.
INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, total_allocated_bytes, device_kind,
  device_ordinal, category
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  name,
  address & 9223372036854775807,
  bytes,
  TRY_CAST(sum(bytes) OVER (PARTITION BY track_n ORDER BY slice_n ROWS UNBOUNDED PRECEDING) AS BIGINT),
  'cuda',
  device,
  memory
FROM (
  SELECT
    s.rowid AS slice_n, s.track_n, s.ts,
    if(m.memoryOperationType = 1, 'release', 'allocate') AS name,
    m.address,
    if(m.memoryOperationType = 1, -m.bytes, m.bytes) AS bytes,
    m.deviceId AS device,
    k.name AS memory
  FROM scratch.span AS s
  JOIN scratch.memory_usage AS m ON m.rowid = s.row_n
  LEFT JOIN scratch.memory_kind AS k ON k.id = m.memKind
  WHERE s.family = 'memory_usage'
)
ORDER BY slice_n;
