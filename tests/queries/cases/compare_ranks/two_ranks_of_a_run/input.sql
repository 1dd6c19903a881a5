-- input: shared/collectives_of_four_ranks.sql
-- parameters: a=r/a b=r/b
-- One step of each rank: rank 0 waits 20 ns for rank 1, which is on the other side.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth) VALUES (100, 1, 0, 0, 1000, 's', 0), (110, 2, 0, 0, 1000, 's', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (100, 1, 0, 0, 1000, 's', 1), (110, 2, 0, 0, 1000, 's', 1);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, trace_id, 1, 90 + 10 * trace_id, slice_id, 'step', 'launch', 1, 'default', 'q', 1
FROM collective
WHERE trace_id <= 2;
