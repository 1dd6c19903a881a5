-- input: shared/replay_timeline.sql
-- k2 is a collective: k3 waits for it.
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind) VALUES (11, 1, 3, 52, 8, 'k2', 'device', 'all_reduce');
