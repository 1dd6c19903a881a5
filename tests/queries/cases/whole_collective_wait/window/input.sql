-- input: shared/collectives_of_four_ranks.sql
-- window: 0 50ns
-- Collectives of all times, also those that run after the window.
-- Ids contain the trace, as those of imports do.
UPDATE collective SET slice_id = slice_id + (trace_id << 32);
UPDATE link SET from_id = from_id + (1::BIGINT << 32), to_id = to_id + ((to_id // 10 + 1) << 32);
