-- Rectifiers of 10 and 40 elements on the host, in float32 (100 and 200 ns, the latter also 400 ns) and in float16
-- (50 and 90 ns); one of 20 elements in float16 only, and one of 10 in float32 beside communication.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
VALUES (1, 1, 1, 1000, 100, 'aten::relu', '[[10]]', '["float"]'),
  (2, 1, 1, 2000, 200, 'aten::relu', '[[40]]', '["float"]'),
  (3, 1, 1, 3000, 400, 'aten::relu', '[[40]]', '["float"]'),
  (4, 1, 1, 4000, 50, 'aten::relu', '[[10]]', '["c10::Half"]'),
  (5, 1, 1, 5000, 90, 'aten::relu', '[[40]]', '["c10::Half"]'),
  (6, 1, 1, 6000, 60, 'aten::relu', '[[20]]', '["c10::Half"]'),
  (7, 1, 1, 7000, 900, 'aten::relu', '[[10]]', '["float"]');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, input_bytes, output_bytes,
  n_input_elements, n_output_elements, data_type, group_size)
VALUES (8, 1, 2, 7100, 100, 'gloo:all_reduce', 'host', 'allreduce', 40, 40, 10, 10, 'Float', 2);
