-- From prepared spans to core tables, inside the transaction of the import. The large ones are not
-- sorted once more: they come in the order of the source, which is that of time.
-- Variables: trace_id, first_id (= trace_id << 32). The scratch tables are prepare.sql's.

INSERT INTO process (id, trace_id, pid, name, extra_json)
SELECT
  getvariable('first_id') + process_n,
  getvariable('trace_id'),
  pid,
  coalesce(name, 'process' || coalesce(' ' || pid, '')),
  extra_json
FROM scratch.process_number
ORDER BY process_n;

INSERT INTO thread (id, trace_id, process_id, tid, name, is_main)
SELECT
  getvariable('first_id') + l.track_n,
  getvariable('trace_id'),
  getvariable('first_id') + l.process_n,
  nullif(l.thread, -1),
  t.name,
  nullif(l.thread, -1) = p.pid
FROM scratch.track_number AS l
JOIN scratch.process_number AS p USING (process_n)
LEFT JOIN (
  SELECT coalesce(process, '') AS process, thread, any_value(name) AS name
  FROM scratch.thread_info
  GROUP BY ALL
) AS t ON t.process = l.process AND t.thread = l.thread
WHERE l.device IS NULL
ORDER BY l.track_n;

INSERT INTO device (
  id, trace_id, kind, ordinal, name, vendor, uuid, memory_bytes, n_compute_units, clock_hz,
  peak_bytes_per_s, properties_json
)
SELECT
  getvariable('first_id') + device_n,
  getvariable('trace_id'),
  kind,
  ordinal,
  name,
  vendor,
  uuid,
  memory_bytes,
  n_compute_units,
  clock_hz,
  peak_bytes_per_s,
  properties_json
FROM scratch.device_number
ORDER BY device_n;

INSERT INTO track (id, trace_id, kind, name, process_id, thread_id, device_id, stream, sort_index)
SELECT
  getvariable('first_id') + l.track_n,
  getvariable('trace_id'),
  CASE WHEN l.device IS NULL THEN 'thread' ELSE 'stream' END,
  coalesce(l.track_name, t.name, 'thread' || coalesce(' ' || t.tid, '')),
  getvariable('first_id') + l.process_n,
  t.id,
  getvariable('first_id') + l.device_n,
  l.stream,
  l.track_n
FROM scratch.track_number AS l
LEFT JOIN thread AS t ON t.id = getvariable('first_id') + l.track_n
ORDER BY l.track_n;

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, is_leaf
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  s.category,
  s.name,
  n.depth,
  getvariable('first_id') + n.parent_n,
  s.args_json,
  n.is_leaf
FROM scratch.span AS s
JOIN scratch.nest AS n ON n.entry_n = s.slice_n;

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  name
FROM scratch.span
WHERE kind = 'operator'
ORDER BY slice_n;

INSERT INTO launch (
  slice_id, trace_id, track_id, ts, dur, name, category, correlation_id, external_id, callback_id
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  name,
  category,
  correlation_id,
  external_id,
  callback_id
FROM scratch.span
WHERE kind = 'call';

INSERT INTO gpu_op (
  slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, correlation_id,
  external_id, context_id, bytes, direction, grid_x, grid_y, grid_z, block_x, block_y, block_z,
  registers_per_thread, shared_memory_bytes, queued_ns, graph_id, graph_node_id, sync_kind,
  wait_on_event_id, static_shared_memory_bytes, dynamic_shared_memory_bytes, source_memory_kind,
  destination_memory_kind, is_unified, virtual_address
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  getvariable('first_id') + device_n,
  ts,
  dur,
  name,
  kind,
  CASE
    WHEN kind = 'sync' THEN 'sync'
    WHEN kind <> 'kernel' THEN 'memory'
    WHEN is_communication_kernel(name) THEN 'communication'
    ELSE 'compute'
  END,
  stream,
  correlation_id,
  external_id,
  context_id,
  bytes,
  direction,
  grid_x,
  grid_y,
  grid_z,
  block_x,
  block_y,
  block_z,
  registers,
  shared_memory_bytes,
  queued_ns,
  graph_id,
  graph_node_id,
  sync_kind,
  wait_on_event_id,
  static_shared_memory_bytes,
  dynamic_shared_memory_bytes,
  source_memory_kind,
  destination_memory_kind,
  is_unified,
  CASE WHEN is_unified THEN address END
FROM scratch.span
WHERE kind IN ('kernel', 'memcpy', 'memset', 'sync');

INSERT INTO annotation (
  slice_id, trace_id, track_id, ts, dur, name, side, domain, external_id
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  name,
  'host',
  domain,
  external_id
FROM scratch.span
WHERE kind = 'range'
ORDER BY slice_n;

-- Calls of the library, and its kernels, recognised by name.
INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, kind, algorithm, protocol
)
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  dur,
  name,
  CASE WHEN kind = 'kernel' THEN 'device' ELSE 'host' END,
  communication_of(name),
  lower(nullif(regexp_extract(name, '_(RING|TREE|COLLNET|NVLS|PAT)', 1), '')),
  nullif(regexp_extract(name, '_(LL128|LL|SIMPLE)', 1), '')
FROM scratch.span
WHERE kind = 'collective' OR (kind = 'kernel' AND is_communication_kernel(name))
ORDER BY slice_n;

-- A release has the address; its size is that of the allocation there.
INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, device_kind, device_ordinal
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.name,
  s.address,
  s.bytes,
  s.device_kind,
  s.device_ordinal
FROM scratch.span AS s
WHERE s.kind = 'memory'
ORDER BY s.slice_n;

INSERT INTO metric (
  id, trace_id, slice_id, device_id, ordinal, name, value, unit, match_status
)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY f.seq, f.name) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + s.slice_n,
  getvariable('first_id') + coalesce(s.device_n, d.device_n),
  f.ordinal,
  f.name,
  f.value,
  f.unit,
  CASE WHEN s.slice_n IS NULL THEN 'none' ELSE 'source' END
FROM scratch.figure AS f
LEFT JOIN (
  SELECT dispatch, slice_n, device_n
  FROM scratch.span
  WHERE dispatch IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY dispatch ORDER BY slice_n) = 1
) AS s ON s.dispatch = f.dispatch
LEFT JOIN scratch.device_number AS d ON d.device = f.device
ORDER BY f.seq, f.name;

INSERT INTO source_event (id, trace_id, phase, event_text)
SELECT getvariable('first_id') + seq, getvariable('trace_id'), kind, text
FROM scratch.leftover
ORDER BY seq;
