INSERT INTO tag VALUES ('good', 1, TIMESTAMP '2024-01-01');
-- A run whose name is the id of another: the name is tried first.
INSERT INTO run (id, name, kind, created_at) VALUES (7, '1', 'measured', TIMESTAMP '2020-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (6, 7, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2020-01-01', 0, 0);
