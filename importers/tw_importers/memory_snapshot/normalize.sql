-- From a prepared snapshot to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO device (id, trace_id, kind, ordinal)
SELECT getvariable('first_id') + device_n, getvariable('trace_id'), 'gpu', device
FROM scratch.device_number
ORDER BY device_n;

INSERT INTO track (id, trace_id, kind, name, device_id)
SELECT
  getvariable('first_id') + device_n, getvariable('trace_id'), 'engine', 'allocator',
  getvariable('first_id') + device_n
FROM scratch.device_number
ORDER BY device_n;

INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, phase, args_json, is_leaf)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id') + device_n,
  ts,
  0,
  category,
  name,
  0,
  'i',
  args,
  true
FROM scratch.instant
ORDER BY rowid;

INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, total_allocated_bytes,
  total_reserved_bytes, device_kind, device_ordinal, call_stack_id
)
SELECT
  getvariable('first_id') + i.rowid,
  getvariable('trace_id'),
  getvariable('first_id') + i.device_n,
  c.ts,
  c.action,
  c.addr,
  c.bytes,
  c.total_allocated_bytes,
  c.total_reserved_bytes,
  'cuda',
  c.device,
  getvariable('first_id') + c.stack_n
FROM scratch.instant AS i
JOIN scratch.change AS c ON c.seq = i.seq AND i.is_change
ORDER BY i.rowid;

INSERT INTO memory_segment
SELECT
  getvariable('first_id') + s.segment_n,
  getvariable('trace_id'),
  'cuda',
  h.device,
  s.address,
  s.total_size,
  s.allocated_size,
  s.active_size,
  s.requested_size,
  s.stream,
  s.segment_type,
  s.segment_pool_id,
  TRY_CAST(s.is_expandable AS BOOLEAN),
  getvariable('first_id') + s.stack_n,
  s.extra
FROM scratch.segment AS s
JOIN scratch.held AS h ON h.segment_n = s.segment_n
ORDER BY s.segment_n;

-- Before torch 1.12 or so blocks had no address; it is the sum of those before.
INSERT INTO memory_block
SELECT
  getvariable('first_id') + b.block_n,
  getvariable('trace_id'),
  getvariable('first_id') + b.segment_n,
  coalesce(b.address, b.place),
  b.size,
  b.requested_size,
  b.state,
  getvariable('first_id') + b.stack_n,
  b.extra
FROM (
  SELECT
    k.*,
    TRY_CAST(s.address + coalesce(sum(k.size) OVER (
      PARTITION BY k.segment_n ORDER BY k.block_n
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS UBIGINT) AS place
  FROM scratch.block AS k
  JOIN scratch.segment AS s ON s.segment_n = k.segment_n
) AS b
ORDER BY b.block_n;

INSERT INTO call_frame
SELECT
  getvariable('first_id') + stack_n,
  getvariable('trace_id'),
  depth,
  filename,
  line,
  name,
  extra
FROM scratch.frame
ORDER BY stack_n, depth;
