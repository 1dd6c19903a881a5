-- parameters: a=ops b=kernels
-- Two steps of two operators, 100 ns and 50 ns, at 0 and 120 in each.
-- Kernels begin with the first operator: of the first step, k1 ends 8 ns behind its operator and lies in
-- it by 92 of 100 ns; k2 then counts 8 ns less. The time of k3, behind all operators, belongs to none.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'ops', 'measured', TIMESTAMP '2026-01-01'), (2, 'kernels', 'measured', TIMESTAMP '2026-01-01');
INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns
)
SELECT i, i, 't', 'chrome', 'chrome', 1, '0', TIMESTAMP '2026-01-01', 0, 0 FROM range(1, 3) AS t(i);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number) VALUES
  (10, 1, 1, 500, 100, 'conv', 0), (11, 1, 1, 620, 50, 'relu', 0),
  (12, 1, 1, 1500, 100, 'conv', 1), (13, 1, 1, 1620, 50, 'relu', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (20, 2, 2, 40, 2, 'k0', 'kernel', 'compute'), (21, 2, 2, 48, 100, 'k1', 'kernel', 'compute'),
  (22, 2, 2, 1048, 60, 'k1', 'kernel', 'compute'), (23, 2, 2, 1110, 38, 'k1', 'kernel', 'compute'),
  (24, 2, 2, 1165, 50, 'k2', 'kernel', 'compute'), (25, 2, 2, 1400, 10, 'k3', 'kernel', 'compute');
