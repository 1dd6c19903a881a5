-- input: shared/half_known_causes.sql
-- A graph replays operation 12: its operator is the captured one.
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (7, 1, 1, 32, 12, 'op_device', 'graph_capture', 1, 'default', 'q', 1);
