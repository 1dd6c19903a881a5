-- input: shared/host_communication.sql
-- parameters: trace_id=1
-- Whole, with the answer computed by hand.
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 10, 20, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (2, 1, 1, 11, 21, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (3, 1, 1, 15, 22, 'enqueue', 'order', 0.9, 'default', 'q', 1);
