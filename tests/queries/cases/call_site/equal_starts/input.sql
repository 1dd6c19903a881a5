-- Two operators below modules begin at one time: the call is after the inner one, in the outer one.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'f', 'i', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth) VALUES
  (1, 1, 100, 0, 100, 'nn.Module: A_0', 'python_function', 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (3, 1, 100, 10, 2, 'inner'), (2, 1, 100, 10, 40, 'outer');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (12, 1, 100, 20, 5, 'cudaMalloc', 'cuda_runtime');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 1, 2, 'module', 'containment', 1, 'default', 'q', 1),
  (2, 1, 1, 1, 3, 'module', 'containment', 1, 'default', 'q', 1);
