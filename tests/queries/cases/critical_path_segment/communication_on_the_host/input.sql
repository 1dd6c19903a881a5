-- input: shared/host_communication.sql
-- parameters: step=null range_name=null
-- From the end at 120: the operator at 105 went on after the broadcast (100), whose thread was free at
-- its call (90). The thread went on at 61 after the first bucket (60), though the second was reduced
-- before that (50), as well: it is copied later.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 120, 'user_annotation', 'ProfilerStep#1', 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
SELECT slice_id, trace_id, track_id, ts, dur, 'cpu_op', name, 1, 1 FROM cpu_op;
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
SELECT slice_id, trace_id, track_id, ts, dur, 'user_annotation', name, 0, NULL FROM collective;
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 0, 120, 'ProfilerStep#1', 1);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 10, 20, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (2, 1, 1, 11, 21, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (3, 1, 1, 15, 22, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (4, 1, 1, 20, 12, 'wait', 'communication', 0.9, 'default', 'q', 1),
  (5, 1, 1, 21, 14, 'wait', 'communication', 0.9, 'default', 'q', 1),
  (6, 1, 1, 22, 16, 'wait', 'communication', 0.5, 'default', 'q', 1);
