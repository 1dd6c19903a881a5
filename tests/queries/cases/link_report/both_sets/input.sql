-- The default set has all work; the other has left a memset, work of a lost call and work of a call
-- without an operator out. One operator is no node. Waits are no work. Graph 20 is not linked itself.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 5, 'timeline', 3, 'f', 'i', 1, '1', '2026-01-01', 0, 0),
  (2, 5, 'nodes', 3, 'f', 'i', 1, '1', '2026-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind, link_set, of_graph_id, device_trace_id)
VALUES (20, 2, 'execution_trace', NULL, NULL, NULL), (21, 2, 'linked', 'default', 20, 1),
  (22, 2, 'linked', 'other', 20, 1);
INSERT INTO graph_node (id, trace_id, graph_id, slice_id, device_kind, link_rule, unlinked_reason)
VALUES (200, 2, 20, NULL, NULL, NULL, NULL), (210, 2, 21, NULL, 'cpu', 'none', 'a thread'),
  (211, 2, 21, 1, 'cpu', 'order', NULL), (212, 2, 21, 11, 'gpu', 'containment', NULL),
  (213, 2, 21, 12, 'gpu', 'containment', NULL), (214, 2, 21, 13, 'gpu', 'none', 'lost'),
  (215, 2, 21, 14, 'gpu', 'containment', NULL), (221, 2, 22, 1, 'cpu', 'order', NULL),
  (222, 2, 22, 11, 'gpu', 'latest', NULL), (223, 2, 22, 11, 'gpu', 'latest', NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur) VALUES (1, 1, 9, 0, 9), (2, 1, 9, 9, 1);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, side)
VALUES (3, 1, 9, 0, 9, 'device');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
VALUES (11, 1, 8, 0, 50, 'kernel', 'compute'), (12, 1, 8, 0, 25, 'memset', 'memory'),
  (13, 1, 8, 0, 20, 'kernel', 'compute'), (14, 1, 8, 0, 5, 'kernel', 'compute'),
  (15, 1, 8, 0, 77, 'sync', 'sync');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT to_id, 1, 5, 4, to_id, 'launch', 'correlation', 1, 'default', 'q', 1
FROM (VALUES (11), (12), (14)) AS l(to_id);
