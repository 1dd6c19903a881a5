-- parameters: run_id=1
-- Neither says its rank, and there is one of each.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 't', 'f', 'i', 1, '1', '2026-01-01', 0, 0),
  (2, 1, 'g', 'f', 'i', 1, '1', '2026-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind, attributes_json)
VALUES (20, 2, 'execution_trace', '{"pid": 77}'), (21, 2, 'linked', NULL);
INSERT INTO graph_node (id, trace_id, graph_id, node_id) VALUES (200, 2, 20, 1);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur) VALUES (1, 1, 1, 0, 1);
