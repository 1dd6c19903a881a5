-- A measured run of one trace, and two predictions of it; the path of the second on the measured run is
-- hidden by that of the first.
INSERT INTO run (id, name, kind, parent_run_id, created_at) VALUES
  (1, 'job', 'measured', NULL, TIMESTAMP '2026-01-01'),
  (2, 'same', 'predicted', 1, TIMESTAMP '2026-01-02'),
  (3, 'faster', 'predicted', 1, TIMESTAMP '2026-01-03');
INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns
)
SELECT i, i, 'host0/0', 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 0, 0
FROM range(1, 4) AS t(i);
INSERT INTO prediction_path VALUES
  (1, 2, 0, 4294967296, 4294967297, 100, 50, 'kernel', 'gemm'),
  (1, 2, 1, 4294967296, NULL, 150, 20, 'host', 'sync'),
  (2, 2, 0, 8589934592, 8589934593, 100, 45, 'kernel', 'gemm'),
  (1, 3, 0, 4294967296, 4294967298, 90, 70, 'kernel', 'other'),
  (3, 3, 0, 12884901888, 12884901890, 90, 35, 'kernel', 'other');
