-- Contents of RunMetadata beyond GPU activity: transfers, memory, and the flow of tensors.
-- Variables: trace_id, first_id (= trace_id << 32). The scratch tables are gather.sql's.

INSERT INTO rpc (
  slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, occurrence, peer, bytes
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  s.name,
  'recv',
  r.rpc_key,
  r.occurrence,
  r.peer,
  r.bytes
FROM scratch.span AS s
JOIN scratch.received AS r USING (seq)
ORDER BY s.slice_n;

-- Records of allocations and releases have their own times; the bytes that an allocator has in use are
-- read once, after the kernel of the operation, whenever its memory is released.
INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, bytes, total_allocated_bytes, device_kind,
  device_ordinal, source_order
)
WITH change AS (
  SELECT seq, n, allocator, at_ns, bytes, NULL::BIGINT AS bytes_in_use FROM scratch.allocation
  UNION ALL
  SELECT
    a.seq, max(a.n) + 1, a.allocator, n.start_ns + coalesce(n.op_end_ns, n.end_ns), NULL,
    max(a.bytes_in_use)
  FROM scratch.allocation AS a
  JOIN scratch.node AS n USING (seq)
  WHERE a.bytes_in_use IS NOT NULL
  GROUP BY a.seq, a.allocator, n.start_ns, n.op_end_ns, n.end_ns
)
SELECT
  NULL,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  a.at_ns - o.first_ns,
  a.allocator,
  a.bytes,
  a.bytes_in_use,
  CASE WHEN regexp_matches(a.allocator, '^GPU_\d+_') THEN 'gpu' ELSE 'cpu' END,
  coalesce(TRY_CAST(regexp_extract(a.allocator, '^GPU_(\d+)_', 1) AS BIGINT), -1),
  row_number() OVER (ORDER BY a.at_ns, a.seq, a.n) - 1
FROM scratch.span AS s
JOIN change AS a USING (seq)
CROSS JOIN scratch.origin AS o
WHERE a.at_ns IS NOT NULL
ORDER BY a.at_ns, a.seq, a.n;

-- From the end of an operation to the start of one that takes its tensors.
INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY n, phase) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  phase,
  'data',
  'tensor',
  n::VARCHAR,
  getvariable('first_id') + slice_n
FROM (
  SELECT
    t.rowid AS n, s.track_n, least(s.ts + greatest(s.dur, 0), f.ts) AS ts, 's' AS phase, s.slice_n
  FROM scratch.taken AS t
  JOIN scratch.span AS s ON s.seq = t.from_seq
  JOIN scratch.span AS f ON f.seq = t.to_seq
  UNION ALL
  SELECT t.rowid, s.track_n, s.ts, 'f', s.slice_n
  FROM scratch.taken AS t JOIN scratch.span AS s ON s.seq = t.to_seq
)
ORDER BY n, phase;
