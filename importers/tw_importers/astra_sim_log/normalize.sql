-- From nodes to core tables, inside the transaction of the import: an NPU is a process and a device,
-- what it does at once are its engines. Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO process (id, trace_id, pid, name, rank)
SELECT getvariable('first_id') + npu_n, getvariable('trace_id'), npu, 'NPU ' || npu, npu
FROM scratch.npu
ORDER BY npu_n;

INSERT INTO device (id, trace_id, kind, ordinal, name)
SELECT getvariable('first_id') + npu_n, getvariable('trace_id'), 'npu', npu, 'NPU ' || npu
FROM scratch.npu
ORDER BY npu_n;

INSERT INTO track (id, trace_id, kind, name, process_id, device_id, stream, sort_index)
SELECT
  getvariable('first_id') + track_n,
  getvariable('trace_id'),
  'engine',
  ['local memory', 'remote memory', 'compute', 'communication', 'other'][track_kind],
  getvariable('first_id') + npu_n,
  getvariable('first_id') + npu_n,
  track_kind,
  track_kind
FROM scratch.track_number
ORDER BY track_n;

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, is_leaf
)
SELECT
  getvariable('first_id') + s.rowid,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  CASE WHEN s.track_kind < 3 THEN 'gpu_memcpy' ELSE 'kernel' END,
  s.name,
  n.depth,
  getvariable('first_id') + n.parent_n,
  CASE
    WHEN s.type IS NULL THEN json_object('node', s.node)
    ELSE json_object('node', s.node, 'type', s.type)
  END::VARCHAR,
  n.is_leaf
FROM scratch.span AS s
JOIN scratch.nest AS n ON n.entry_n = s.rowid
ORDER BY s.rowid;

INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  getvariable('first_id') + npu_n,
  ts,
  dur,
  name,
  CASE WHEN track_kind < 3 THEN 'memcpy' ELSE 'kernel' END,
  CASE WHEN track_kind < 3 THEN 'memory' WHEN track_kind = 4 THEN 'communication' ELSE 'compute' END,
  track_kind
FROM scratch.span
ORDER BY rowid;
