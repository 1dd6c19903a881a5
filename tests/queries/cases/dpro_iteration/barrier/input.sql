-- Whole, with the answer checked by hand.
-- net/a begins with the barrier, and comes first by its name: the iteration begins with net/z. Step 1 has
-- no backward operator and is left out.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'trial', 'measured', TIMESTAMP '2026-01-01');

INSERT INTO trace (
  id, run_id, name, rank, host_name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns
)
VALUES (1, 1, 'host0/0', 0, 'host0', 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 0, 0);

INSERT INTO graph (id, trace_id, kind, name) VALUES (1::BIGINT << 32, 1, 'dpro', 'host0.rank0');

INSERT INTO graph_node (id, trace_id, graph_id, node_id, name)
SELECT (1::BIGINT << 32) + n, 1, 1::BIGINT << 32, n, name
FROM (VALUES (0, 'net/a'), (1, 'net/input_barrier'), (2, 'net/z'), (3, 'gradients/b')) AS t(n, name);

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT (1::BIGINT << 32) + n, 1, 1::BIGINT << 32, ts, dur, name, step
FROM (VALUES
  (0, 1000, 10, 'net/a', 0), (1, 1000, 20, 'net/input_barrier', 0), (2, 1050, 30, 'net/z', 0),
  (3, 1100, 100, 'gradients/b', 0), (4, 2000, 10, 'net/a', 1)
) AS t(n, ts, dur, name, step);
