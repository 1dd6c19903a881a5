-- parameters: a=ops b=kernels
-- The operator block contains mm below a Python function, so that the kernel, which lies in both, is of mm.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'ops', 'measured', TIMESTAMP '2026-01-01'), (2, 'kernels', 'measured', TIMESTAMP '2026-01-01');
INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns
)
SELECT i, i, 't', 'chrome', 'chrome', 1, '0', TIMESTAMP '2026-01-01', 0, 0 FROM range(1, 3) AS t(i);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number) VALUES
  (10, 1, 1, 500, 200, 'block', 0), (12, 1, 1, 520, 100, 'mm', 0);
INSERT INTO slice (id, trace_id, track_id, parent_id, ts, dur, category, name, depth) VALUES
  (10, 1, 1, NULL, 500, 200, 'cpu_op', 'block', 0), (11, 1, 1, 10, 510, 120, 'python_function', 'f', 1),
  (12, 1, 1, 11, 520, 100, 'cpu_op', 'mm', 2);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (20, 2, 2, 40, 60, 'k1', 'kernel', 'compute');
