-- Rows of detail tables, inside the transaction of the import; runs after normalize.sql.

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT
  getvariable('first_id') + rowid, getvariable('trace_id'), getvariable('first_id') + track_n, ts,
  dur, name
FROM scratch.span
WHERE meaning IN ('operation', 'async_operation')
ORDER BY rowid;

INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT
  getvariable('first_id') + s.rowid, getvariable('trace_id'), getvariable('first_id') + track_n, s.ts,
  dur, s.name, field_number(e.payload, '$.count')
FROM scratch.span AS s
JOIN scratch.event AS e USING (seq)
WHERE meaning = 'session' AND dur >= 0
ORDER BY s.rowid;

INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT
  getvariable('first_id') + rowid, getvariable('trace_id'), getvariable('first_id') + track_n, ts,
  dur, name, 'host'
FROM scratch.span
WHERE category = 'user_annotation'
ORDER BY rowid;

INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category, callback_id)
SELECT
  getvariable('first_id') + s.rowid, getvariable('trace_id'), getvariable('first_id') + s.track_n, s.ts,
  s.dur, s.name, s.category::VARCHAR, a.callback
FROM scratch.span AS s
LEFT JOIN scratch.caller AS a ON a.seq = s.seq
WHERE s.meaning IN (
  'cuda_api', 'hip_api', 'hsa_api', 'hc_api', 'opencl_api', 'stream_copy', 'dispatch'
)
ORDER BY s.rowid;

INSERT INTO gpu_op (
  slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, bytes, direction,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread, shared_memory_bytes,
  queued_ns, source_memory_kind, destination_memory_kind
)
SELECT
  getvariable('first_id') + s.rowid,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  getvariable('first_id') + d.device_n,
  s.ts,
  s.dur,
  s.name,
  w.kind,
  CASE
    WHEN w.kind = 'sync' THEN 'sync'
    WHEN w.kind <> 'kernel' THEN 'memory'
    WHEN regexp_matches(w.name, '(?i)nccl|rccl|AllReduce') AND w.provider <> 'cudaTracer' THEN 'communication'
    ELSE 'compute'
  END,
  w.queue,
  w.bytes,
  w.direction,
  w.grid_x, w.grid_y, w.grid_z, w.block_x, w.block_y, w.block_z,
  w.registers,
  w.shared_bytes,
  q.before_ns,
  w.source_memory,
  w.destination_memory
FROM scratch.span AS s
JOIN scratch.work AS w ON w.seq = s.seq
JOIN scratch.device_number AS d ON d.device = coalesce(w.device, '')
LEFT JOIN (
  SELECT work_seq, max(before_ns) AS before_ns FROM scratch.queued WHERE is_queued GROUP BY ALL
) AS q ON q.work_seq = w.seq
ORDER BY s.rowid;

INSERT INTO track (id, trace_id, kind, name, unit)
SELECT getvariable('first_id') + track_n, getvariable('trace_id'), 'counter', series, unit
FROM scratch.reading_track
ORDER BY track_n;

INSERT INTO counter (id, trace_id, track_id, ts, value)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY p.track_n, r.ts, r.seq) - 1,
  getvariable('trace_id'), getvariable('first_id') + p.track_n, r.ts, r.value
FROM scratch.reading AS r
JOIN scratch.reading_track AS p USING (series)
ORDER BY p.track_n, r.ts, r.seq;

INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, total_allocated_bytes,
  total_reserved_bytes, device_kind, device_ordinal, source_order
)
SELECT
  getvariable('first_id') + slice_n, getvariable('trace_id'), getvariable('first_id') + track_n, ts,
  name, address, bytes, total_bytes, reserved_bytes, device_kind, device_ordinal, seq
FROM scratch.memory_row
ORDER BY slice_n, bytes;

INSERT INTO metric (id, trace_id, slice_id, ordinal, name, value, match_status)
SELECT
  getvariable('first_id') + metric_n, getvariable('trace_id'), getvariable('first_id') + slice_n,
  ordinal, name, value, match_status
FROM scratch.metric_row
ORDER BY metric_n;

INSERT INTO metric (id, trace_id, slice_id, ordinal, name, value, match_status)
SELECT
  getvariable('first_id') + (SELECT count(*) FROM scratch.metric_row)
    + row_number() OVER (ORDER BY r.n, r.name) - 1,
  getvariable('trace_id'), getvariable('first_id') + m.slice_n, r.n, r.name, r.value,
  if(m.slice_n IS NULL, 'none', 'name')
FROM scratch.rcp_number AS r
JOIN scratch.rcp_match AS m ON m.n = r.n
ORDER BY r.n, r.name;

-- Lines of the file of counters as they are: the export repeats their texts.
INSERT INTO source_event (id, trace_id, phase, slice_id, event_text)
SELECT
  getvariable('first_id') + 2147483648 + n, getvariable('trace_id'), 'rcp',
  getvariable('first_id') + slice_n, cells_json
FROM scratch.rcp_match
ORDER BY n;

INSERT INTO source_file (id, trace_id, path, role, n_bytes, n_content_bytes, sha256)
SELECT
  getvariable('first_id') + 1000000 + row_number() OVER (ORDER BY role), getvariable('trace_id'),
  path, role, n_bytes, n_bytes, sha256
FROM scratch.side_file
ORDER BY role;

INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, binding, slice_id)
SELECT
  getvariable('first_id') + 2 * arrow_n + is_end, getvariable('trace_id'),
  getvariable('first_id') + if(is_end = 1, to_track_n, from_track_n), if(is_end = 1, to_ts, from_ts),
  if(is_end = 1, 'f', 's'), 'dependency', 'depends', arrow_n::VARCHAR, 'e',
  getvariable('first_id') + if(is_end = 1, to_n, from_n)
FROM scratch.arrow
CROSS JOIN (VALUES (0), (1)) AS side(is_end)
ORDER BY arrow_n, is_end;

INSERT INTO rpc (
  slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, occurrence, peer, bytes, step_number
)
SELECT
  getvariable('first_id') + c.slice_n, getvariable('trace_id'), getvariable('first_id') + s.track_n,
  s.ts, s.dur, s.name, c.kind, c.rpc_key, c.occurrence, c.peer, c.bytes, c.step_number
FROM scratch.call_row AS c
JOIN scratch.span AS s ON s.rowid = c.slice_n
ORDER BY c.slice_n;
