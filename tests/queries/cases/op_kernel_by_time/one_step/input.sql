-- parameters: a=ops b=kernels
-- One step of two operators, and one operator behind it that is in none: the kernel at its time is that of no
-- operator of the step.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'ops', 'measured', TIMESTAMP '2026-01-01'), (2, 'kernels', 'measured', TIMESTAMP '2026-01-01');
INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns
)
SELECT i, i, 't', 'chrome', 'chrome', 1, '0', TIMESTAMP '2026-01-01', 0, 0 FROM range(1, 3) AS t(i);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number) VALUES
  (10, 1, 1, 500, 100, 'conv', 0), (11, 1, 1, 620, 50, 'relu', 0), (12, 1, 1, 900, 100, 'save', NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (20, 2, 2, 40, 90, 'k1', 'kernel', 'compute'), (21, 2, 2, 165, 40, 'k2', 'kernel', 'compute'),
  (22, 2, 2, 450, 50, 'k3', 'kernel', 'compute');
