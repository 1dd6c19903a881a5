-- input: shared/dpro_two_ranks.sql
-- parameters: run_id=1 objective=2
-- As clock_by_receives.
UPDATE collective SET ts = ts - 30000, dur = dur + 30000 WHERE stage = 'RECV' AND trace_id = 2 AND ring_step = 0;
