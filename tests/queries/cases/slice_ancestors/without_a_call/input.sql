-- input: shared/python_program.sql
-- parameters: slice_id=24
-- The call that launched the kernel is not recorded, but its operator is known.
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (9, 1, 1, 13, 24, 'op_device', 'name', 0.9, 'default', 'q', 1);
