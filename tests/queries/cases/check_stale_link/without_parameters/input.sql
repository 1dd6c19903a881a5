-- Nothing is given: the newest that ran is the measure. Trace 2 was linked by link_launch@2, whose contract
-- was changed from 00aa to 00bb; trace 1 by version 1 of it, and by link_flow as of today. Nothing has
-- linked the traces to each other.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (3, 1, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL);
INSERT INTO query_version (name, version, content_hash, first_used_at)
VALUES
  ('link_launch', 2, '00aa', TIMESTAMP '2024-01-02'),
  ('link_launch', 2, '00bb', TIMESTAMP '2024-01-03');
INSERT INTO import_stat (id, trace_id, name, detail, value, unit)
VALUES
  (0, 1, 'linked', 'link_launch@1 contract=00ff', 1, 'count'),
  (1, 1, 'linked', 'link_flow@2 contract=00cc', 1, 'count'),
  (2, 2, 'linked', 'link_launch@2 contract=00aa', 1, 'count'),
  (3, 2, 'linked', 'link_flow@2 contract=00cc', 1, 'count'),
  (4, 3, 'linked', 'link_launch@2 contract=00bb', 1, 'count'),
  (5, 3, 'linked', 'link_flow@2 contract=00cc', 1, 'count');
