-- A measured run, and two predictions of it; the second has no time.
INSERT INTO run (id, name, kind, parent_run_id, created_at) VALUES
  (1, 'job/a', 'measured', NULL, TIMESTAMP '2026-01-01'),
  (2, 'same', 'predicted', 1, TIMESTAMP '2026-01-02'),
  (3, 'faster', 'predicted', 1, TIMESTAMP '2026-01-03');
INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns
)
SELECT i, i, 'host0/0', 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 0, 0
FROM range(1, 4) AS t(i);
INSERT INTO source_file
SELECT i << 32, i, 'prediction of job/a/host0/0', NULL, 'prediction', 0, 0, 'x' FROM range(2, 4) AS t(i);
INSERT INTO prediction VALUES
  (2, 1, 'default', '{}', '[]', '{}', NULL, NULL, 1000, 990, 990, '0', TIMESTAMP '2026-01-02'),
  (3, 1, 'dpro', '{}', '["link(bandwidth_ratio = 2)","equal_ranks()"]', '{}', NULL, NULL, NULL, NULL, NULL,
   '0', TIMESTAMP '2026-01-03');
