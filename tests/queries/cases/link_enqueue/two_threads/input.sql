-- input: shared/host_communication.sql
-- parameters: trace_id=1
-- An operation before the first call of its kind belongs to a call before the recording.
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements)
VALUES (19, 1, 2, 2, 5, 'gloo:all_reduce', 'host', 'all_reduce', 30);
