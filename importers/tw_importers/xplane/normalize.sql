-- Contents of XPlane beyond GPU activity: Python calls, steps, memory, arrows.
-- Variables: trace_id, first_id (= trace_id << 32). The scratch tables are gather.sql's.

INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT
  getvariable('first_id') + slice_n, getvariable('trace_id'), getvariable('first_id') + track_n,
  ts, dur, name
FROM scratch.span
WHERE kind = 'python'
ORDER BY slice_n;

INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  s.name,
  n.number
FROM scratch.span AS s
JOIN scratch.numbered AS n USING (seq)
ORDER BY s.slice_n;

INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, total_allocated_bytes,
  total_reserved_bytes, device_kind, device_ordinal, source_order
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.name,
  a.address,
  a.bytes,
  a.bytes_allocated,
  a.bytes_reserved,
  a.device_kind,
  a.device_ordinal,
  s.seq
FROM scratch.span AS s
JOIN scratch.allocation AS a USING (seq)
ORDER BY s.slice_n;

INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY s.slice_n, h.phase DESC) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  h.phase,
  'context',
  'context ' || h.type,
  h.id::VARCHAR,
  getvariable('first_id') + s.slice_n
FROM scratch.span AS s
JOIN scratch.hop AS h USING (seq)
ORDER BY s.slice_n, h.phase DESC;

INSERT INTO xla_op (
  slice_id, trace_id, hlo_module, program_id, run_id, hlo_op, category, framework_op, source,
  flops, bytes_accessed
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  c.hlo_module,
  c.program_id,
  c.run_id,
  c.hlo_op,
  c.hlo_category,
  c.tf_op,
  c.source,
  c.flops,
  c.bytes_accessed
FROM scratch.span AS s
JOIN scratch.compiled AS c USING (seq)
ORDER BY s.slice_n;

-- Collectives of compiled programs, which have no library's name.
UPDATE gpu_op SET class = 'communication'
WHERE trace_id = getvariable('trace_id')
  AND kind = 'kernel'
  AND regexp_matches(
    name, '^%?(?:all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute)'
  );
