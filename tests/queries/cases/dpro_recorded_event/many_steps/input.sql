-- A rank of 20 steps, the k-th from 1000 k ns to the next: an operator at its start, QUEUE at its start
-- (of the step before, as names decide between equal times) and in the middle, SEND in the middle. SEND before the
-- first operator and behind the last does not count.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'trial', 'measured', TIMESTAMP '2026-01-01');

INSERT INTO trace (
  id, run_id, name, rank, host_name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns
)
VALUES (1, 1, 'host0/0', 0, 'host0', 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 0, 0);

INSERT INTO graph (id, trace_id, kind, name) VALUES (1::BIGINT << 32, 1, 'dpro', 'host0.rank0');

INSERT INTO graph_node (id, trace_id, graph_id, node_id, name)
VALUES (1::BIGINT << 32, 1, 1::BIGINT << 32, 0, 'net/MatMul');

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT (1::BIGINT << 32) + k, 1, 1::BIGINT << 32, 1000 * k, 100, 'net/MatMul', k FROM range(1, 21) AS t(k);

INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, stage)
SELECT (1::BIGINT << 32) + n + k, 1, (1::BIGINT << 32) + 1, 1000 * k + after_ns, 10, stage, 'host', stage
FROM range(21) AS t(k), (VALUES (100, 0, 'QUEUE'), (200, 500, 'QUEUE'), (300, 500, 'SEND'))
  AS s(n, after_ns, stage);

INSERT INTO collective_tensor (slice_id, trace_id, ordinal, tensor_id)
SELECT slice_id, trace_id, 0, 0 FROM collective;
