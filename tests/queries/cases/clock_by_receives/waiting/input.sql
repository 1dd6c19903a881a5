-- input: shared/dpro_two_ranks.sql
-- parameters: run_id=1
-- One receive waits for 30 µs, and counts from the start of its send: 525 µs as recorded. The others last 25 µs,
-- so that the clocks differ by 500 µs, which is between the bounds, 495 and 505 µs.
UPDATE collective SET ts = ts - 30000, dur = dur + 30000 WHERE stage = 'RECV' AND trace_id = 2 AND ring_step = 0;
