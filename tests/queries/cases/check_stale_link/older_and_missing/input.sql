-- parameters: linkers=link_launch@2,link_flow@2 run_linkers=link_peer@1
-- The import of trace 1 ran link_launch@1, link_flow@2 and link_old@1, that of trace 2 all of today's.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL);
INSERT INTO import_stat (id, trace_id, name, detail, value, unit)
VALUES
  (0, 1, 'linked', 'link_launch@1', 1, 'count'),
  (1, 1, 'linked', 'link_flow@2', 1, 'count'),
  (4, 1, 'linked', 'link_old@1', 1, 'count'),
  (2, 2, 'linked', 'link_launch@2 contract=00aa', 1, 'count'),
  (3, 2, 'linked', 'link_flow@2', 1, 'count'),
  (9, 2, 'run_linked', 'link_peer@1', 1, 'count');
