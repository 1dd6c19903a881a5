-- A dPRO trial of two hosts with a rank each, whose clocks differ by 500 µs: a forward and two backward
-- operators and three tensors of 100, 700 and 200 bytes. Tensor 2 is reduced alone, in sends of 2 µs
-- (100 bytes each); 0 and 1 together, in sends of 5 µs (400 bytes). Copies take 0.5 µs and 0.5 µs for each tensor.
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
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, n, name
FROM range(2) AS t(r), (VALUES
  (0, 'net/MatMul'), (1, 'gradient_tape/net/a'), (2, 'gradient_tape/net/b'),
  (3, 'HorovodAllreduce.2_0'), (4, 'HorovodAllreduce.1_0'), (5, 'HorovodAllreduce.0_0'),
  (6, 'SGD/update_2'), (7, 'SGD/update_1'), (8, 'SGD/update_0')
) AS n(n, name);

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, ((1 + r) << 32) + a, ((1 + r) << 32) + b, 'data', 0
FROM range(2) AS t(r), (VALUES
  (0, 0, 1), (1, 1, 2), (2, 1, 3), (3, 2, 4), (4, 2, 5), (5, 3, 6), (6, 4, 7), (7, 5, 8)
) AS e(n, a, b);

INSERT INTO communication_edge
SELECT 1 + r, 'ring', 0, f, 1 - f FROM range(2) AS t(r), range(2) AS u(f);

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT ((1 + r) << 32) + n, 1 + r, (1 + r) << 32, ts, dur, name, 0
FROM range(2) AS t(r), (VALUES
  (0, 0, 100000, 'net/MatMul'),
  (1, 100000, 100000, 'gradient_tape/net/a'),
  (2, 200000, 100000, 'gradient_tape/net/b'),
  (3, 400000, 10000, 'SGD/update_2'),
  (4, 410000, 10000, 'SGD/update_1'),
  (5, 420000, 10000, 'SGD/update_0')
) AS o(n, ts, dur, name);

-- Horovod records a stage for each tensor of a group, NCCL a send or receive for all.
CREATE TEMP TABLE stage AS FROM (VALUES
  (10, 205000, 5000, 'Sync', -1, [2]), (11, 210000, 5000, 'QUEUE', -1, [2]),
  (12, 215000, 1000, 'MEMCPY_IN_FUSION_BUFFER', -1, [2]),
  (13, 216000, 2000, 'SEND', 0, [2]), (14, 216000, 2500, 'RECV', 0, [2]),
  (15, 218500, 2000, 'SEND', 1, [2]), (16, 218500, 2500, 'RECV', 1, [2]),
  (17, 221000, 1000, 'MEMCPY_OUT_FUSION_BUFFER', -1, [2]),
  (20, 310000, 5000, 'Sync', -1, [0]), (21, 310000, 5000, 'Sync', -1, [1]),
  (22, 315000, 5000, 'QUEUE', -1, [0]), (23, 315000, 5000, 'QUEUE', -1, [1]),
  (24, 320000, 1500, 'MEMCPY_IN_FUSION_BUFFER', -1, [0]),
  (25, 320000, 1500, 'MEMCPY_IN_FUSION_BUFFER', -1, [1]),
  (26, 321500, 5000, 'SEND', 0, [0, 1]), (27, 321500, 5500, 'RECV', 0, [0, 1]),
  (28, 327000, 5000, 'SEND', 1, [0, 1]), (29, 327000, 5500, 'RECV', 1, [0, 1]),
  (30, 332500, 1500, 'MEMCPY_OUT_FUSION_BUFFER', -1, [0]),
  (31, 332500, 1500, 'MEMCPY_OUT_FUSION_BUFFER', -1, [1])
) AS c(n, ts, dur, stage, ring_step, tensors);

INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, stage, loop, channel, ring_step, part
)
SELECT ((1 + r) << 32) + n, 1 + r, ((1 + r) << 32) + 1, ts, dur, stage, 'host', stage,
  CASE WHEN ring_step >= 0 THEN 0 END, CASE WHEN ring_step >= 0 THEN 0 END,
  CASE WHEN ring_step >= 0 THEN ring_step END, CASE WHEN ring_step >= 0 THEN 0 END
FROM range(2) AS t(r), stage;

INSERT INTO collective_tensor (slice_id, trace_id, ordinal, tensor_id, bytes)
SELECT ((1 + r) << 32) + n, 1 + r, row_number() OVER (PARTITION BY r, n ORDER BY tensor) - 1, tensor, [100, 700, 200][tensor + 1]
FROM range(2) AS t(r), (SELECT n, unnest(tensors) AS tensor FROM stage);

DROP TABLE stage;
