-- input: shared/replay_timeline.sql
-- parameters: ranks=4
-- k2 is a collective of two ranks: 3/4 instead of 1/2 of the message over each link.
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind) VALUES (11, 1, 3, 52, 8, 'k2', 'device', 'all_reduce');
