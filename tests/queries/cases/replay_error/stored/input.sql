-- A replay 2 % too long.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01'), (2, 'p', 'predicted', '2026-01-01');
INSERT INTO prediction (run_id, parent_run_id, engine, parameters_json, what_ifs_json, queries_json, measured_ns, replayed_ns, predicted_ns, tw_version, created_at)
VALUES (2, 1, 'default', '{}', '[]', '{}', 100, 102, 102, '0', '2026-01-01');
