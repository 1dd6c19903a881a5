-- A dPRO trial of two hosts with a rank each, whose clocks differ by 500 µs: one step of a forward, a
-- backward and an updating operator, and one tensor, all-reduced in a ring of two steps.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'trial', 'measured', TIMESTAMP '2026-01-01');

INSERT INTO trace (
  id, run_id, name, rank, host_name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns
)
SELECT
  1 + r, 1, 'host' || r || '/0', r, 'host' || r, 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01',
  1000000 + 500000 * r, 0
FROM range(2) AS t(r);

INSERT INTO graph (id, trace_id, kind, name)
SELECT (1 + r) << 32, 1 + r, 'dpro', 'host' || r || '.rank0' FROM range(2) AS t(r);

INSERT INTO graph_node (id, trace_id, graph_id, node_id, name)
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, n,
  ['net/MatMul', 'gradient_tape/net/MatMul', 'HorovodAllreduce.0_0', 'SGD/update_0'][n + 1]
FROM range(2) AS t(r), range(4) AS u(n);

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, ((1 + r) << 32) + n, ((1 + r) << 32) + n + 1,
  'data', 0
FROM range(2) AS t(r), range(3) AS u(n);

INSERT INTO communication_edge
SELECT 1 + r, 'ring', 0, f, 1 - f FROM range(2) AS t(r), range(2) AS u(f);

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, ts, dur, name, 0
FROM range(2) AS t(r), (VALUES
  (0, 0, 100000, 'net/MatMul'),
  (1, 110000, 100000, 'gradient_tape/net/MatMul'),
  (2, 400000, 10000, 'SGD/update_0')
) AS o(n, ts, dur, name);

INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, stage, loop, channel, ring_step, part
)
SELECT ((1 + r) << 32) + n, 1 + r, ((1 + r) << 32) + 1, ts, dur, stage, 'host', stage,
  CASE WHEN ring_step >= 0 THEN 0 END, CASE WHEN ring_step >= 0 THEN 0 END,
  CASE WHEN ring_step >= 0 THEN ring_step END, CASE WHEN ring_step >= 0 THEN 0 END
FROM range(2) AS t(r), (VALUES
  (3, 220000, 30000, 'Sync', -1),
  (4, 250000, 5000, 'QUEUE', -1),
  (5, 255000, 10000, 'MEMCPY_IN_FUSION_BUFFER', -1),
  (6, 265000, 20000, 'SEND', 0),
  (7, 265000, 25000, 'RECV', 0),
  (8, 290000, 20000, 'SEND', 1),
  (9, 290000, 25000, 'RECV', 1),
  (10, 315000, 10000, 'MEMCPY_OUT_FUSION_BUFFER', -1)
) AS c(n, ts, dur, stage, ring_step);

INSERT INTO collective_tensor (slice_id, trace_id, ordinal, tensor_id)
SELECT slice_id, trace_id, 0, 0 FROM collective;
