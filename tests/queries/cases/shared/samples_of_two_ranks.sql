-- Two ranks on one host reduce 4000 bytes: rank 0 waits 30 ns for rank 1, and adds meanwhile. Rank 0 also
-- adds vectors of twelve sizes before, 8 to 96 bytes, alone; a vector of unknown type has no bytes.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 'a', 0, 'h', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 10),
  (2, 1, 'b', 1, 'h', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 20);
INSERT INTO clock (id, trace_id, name, offset_ns, drift, uncertainty_ns, method)
VALUES (10, 1, 'host', 0, NULL, 0, 'reference'), (20, 2, 'host', 0, NULL, 0, 'manual');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_size, n_input_elements,
  n_output_elements, data_type, input_bytes, output_bytes)
VALUES (1, 1, 5, 10000, 100, 'gloo:all_reduce', 'host', 'allreduce', 2, 1000, 1000, 'Float', 4000, 4000),
  (11, 2, 5, 10030, 80, 'gloo:all_reduce', 'host', 'allreduce', 2, 1000, 1000, 'Float', 4000, 4000);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
SELECT 100 + n, 1, 1, 100 * n, 10 + n, 'aten::relu', format('[[{}]]', n), '["float"]'
FROM range(1, 13) AS v(n);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
VALUES (200, 1, 1, 10050, 20, 'aten::relu', '[[7]]', '["float"]'),
  (201, 1, 1, 20000, 20, 'aten::relu', '[[7]]', '["Unknown"]'),
  (202, 1, 1, 10040, 5, 'c10d::allreduce_', NULL, NULL);
