-- input: shared/dpro_two_ranks.sql
-- Operators and stages with their slices. The second host's clock is 500 µs ahead, so that its step
-- begins at its time 0 as well.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
SELECT slice_id, trace_id, track_id, ts, dur, name, 0 FROM cpu_op
UNION ALL
SELECT slice_id, trace_id, track_id, ts, dur, name, 0 FROM collective;
