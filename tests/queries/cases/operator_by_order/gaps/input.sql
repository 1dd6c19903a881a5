-- parameters: graph_id=20 trace_id=1
-- The names a b b c a b d meet step a b c x a b d. c and d occur once and are anchors: forwards from c
-- and backwards from d the names agree. Before c, a and the two b: backwards from c the second b and then
-- no a; a is left on both sides and occurs once, the first b has no partner. Thread 2 is like none.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 'timeline', 'kineto', 'kineto', 1, '1', '2026-01-01', 1000500, 500),
  (2, 1, 'nodes', 'execution_trace', 'execution_trace', 1, '1', '2026-01-01', 0, 0);
INSERT INTO thread (id, trace_id, process_id, tid, source_tid)
VALUES (10, 1, 1, 70, '70'), (11, 1, 1, 80, '80'), (12, 1, 1, 7, '7');
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream)
VALUES (100, 1, 'thread', 10, NULL, NULL), (101, 1, 'thread', 11, NULL, NULL),
  (102, 1, 'stream', 12, 0, 7);
INSERT INTO graph (id, trace_id, kind) VALUES (20, 2, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, thread_id)
VALUES (201, 2, 20, 2, 1, '[pytorch|profiler|execution_trace|thread]', 1),
  (202, 2, 20, 3, 2, 'a', 1),
  (203, 2, 20, 4, 2, 'b', 1),
  (204, 2, 20, 5, 2, 'b', 1),
  (205, 2, 20, 6, 2, 'c', 1),
  (206, 2, 20, 7, 2, 'a', 1),
  (207, 2, 20, 8, 2, 'b', 1),
  (208, 2, 20, 9, 2, 'd', 1),
  (220, 2, 20, 40, 1, 'lonely', 2),
  (221, 2, 20, 41, 40, 'other', 2);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 100, 0, 5, 'cpu_op', 'step', 0, NULL),
  (2, 1, 100, 10, 5, 'cpu_op', 'a', 0, NULL),
  (3, 1, 100, 20, 5, 'cpu_op', 'b', 0, NULL),
  (4, 1, 100, 30, 5, 'cpu_op', 'c', 0, NULL),
  (5, 1, 100, 40, 5, 'cpu_op', 'x', 0, NULL),
  (6, 1, 100, 50, 5, 'cpu_op', 'a', 0, NULL),
  (7, 1, 100, 60, 5, 'cpu_op', 'b', 0, NULL),
  (8, 1, 100, 70, 5, 'cpu_op', 'd', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice;
