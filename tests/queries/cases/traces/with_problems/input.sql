-- One trace of two files with problems and unused events, and one of none; a graph of rank 1.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'job', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 'rank1', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 70),
  (2, 1, 'rank0', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth) VALUES (1, 1, 0, 0, 5, 0), (2, 1, 0, 5, 5, 0);
INSERT INTO source_file VALUES
  (1, 1, '/a', NULL, 'trace', 10, 100, 'x'), (2, 1, '/b', NULL, 'log', 10, 11, 'y');
INSERT INTO import_stat VALUES
  (1, 1, 'unused', 'samples', 3, 'count'), (2, 1, 'unused', 'no phase', 4, 'count'),
  (3, 1, 'slices', NULL, 2, 'count');
INSERT INTO import_problem VALUES (1, 1, 'a', 'note', 2, NULL, NULL, ''), (2, 1, 'b', 'error', 1, 5, '', '');
INSERT INTO trace (id, run_id, name, rank, rank_rule, kind, timeline_trace_id, pair_rule, format,
  importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (3, 1, 'et', 1, 'timeline', 'graph', 1, 'process', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO graph_node (id, trace_id, graph_id) VALUES (1, 3, 1), (2, 3, 1);
UPDATE trace SET damage = '2 pages are missing' WHERE id = 1;
