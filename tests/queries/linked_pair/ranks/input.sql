-- parameters: run_id=1
-- Rank 0 has two timelines, the second of its process. Rank 1 was linked before it was imported. Rank 2
-- has no timeline. The graph of trace 5 is no execution trace; trace 9 is another run's.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, rank)
SELECT id, run_id, 't', 'f', 'i', 1, '1', '2026-01-01', 0, 0, rank
FROM (VALUES (1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 1), (5, 1, 1), (6, 1, 2), (7, 1, 1), (9, 2, 0))
  AS t(id, run_id, rank);
INSERT INTO graph (id, trace_id, kind, attributes_json)
VALUES (30, 3, 'execution_trace', '{"schema": "1.1.1", "pid": 77}'), (40, 4, 'execution_trace', '{}'),
  (50, 5, 'chakra', NULL), (60, 6, 'execution_trace', '{}');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, start_ns)
VALUES (300, 3, 30, 1, NULL), (400, 4, 40, 1, 5);
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 76), (2, 2, 77), (7, 7, 78), (9, 9, 77);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur)
VALUES (1, 1, 1, 0, 1), (7, 7, 7, 0, 1), (9, 9, 9, 0, 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
VALUES (2, 2, 2, 0, 1, 'kernel', 'compute');
