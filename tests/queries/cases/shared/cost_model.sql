-- Two models: of `link`, group `far` with the line 5 ns + 2 ns a byte of 10 to 1000 bytes, and `near`, whose
-- samples have one size of 64 bytes; `empty` has no groups.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2026-01-01');

INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns,
  source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0);

INSERT INTO cost_model
SELECT id, name, 'communication_sample@1', 'x', '["bytes"]', '[]', n, 1, '0', TIMESTAMP '2026-01-01'
FROM (VALUES (1, 'link', 12), (2, 'empty', 0)) AS m(id, name, n);

INSERT INTO cost_model_group VALUES
  (1, 'far', 6, 2, 0.25, NULL), (1, 'near', 4, 0, NULL, 'all samples have one size, which gives no rate');

INSERT INTO cost_model_term VALUES
  (1, 'far', 'bytes', 2, 10, 1000), (1, 'far', 'constant', 5, 1, 1),
  (1, 'near', 'bytes', 0, 64, 64), (1, 'near', 'constant', 30, 1, 1);
