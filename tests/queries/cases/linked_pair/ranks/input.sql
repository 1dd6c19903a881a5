-- parameters: run_id=1
-- Trace 3 goes with timeline 2. Trace 4 was linked before it was imported. Trace 6 has no timeline. The
-- graph of trace 5 is no execution trace; trace 9 is another run's.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, kind, timeline_trace_id)
SELECT id, run_id, 't', 'f', 'i', 1, '1', '2026-01-01', 0, 0, kind, timeline_trace_id
FROM (VALUES (1, 1, 'timeline', NULL), (2, 1, 'timeline', NULL), (3, 1, 'graph', 2),
  (4, 1, 'graph', 1), (5, 1, 'graph', 1), (6, 1, 'graph', NULL), (9, 2, 'graph', 1))
  AS t(id, run_id, kind, timeline_trace_id);
INSERT INTO graph (id, trace_id, kind)
VALUES (30, 3, 'execution_trace'), (31, 3, 'linked'), (40, 4, 'execution_trace'), (50, 5, 'chakra'),
  (60, 6, 'execution_trace'), (90, 9, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, start_ns)
VALUES (300, 3, 30, 1, NULL), (400, 4, 40, 1, 5);
