-- input: shared/collectives_of_four_ranks.sql
-- window: 152ns 300ns
-- Of collective 1 only rank 1 runs in the window, and all members count.
-- Ids contain the trace, as those of imports do.
UPDATE collective SET slice_id = slice_id + (trace_id << 32);
UPDATE link SET from_id = from_id + (1::BIGINT << 32), to_id = to_id + ((to_id // 10 + 1) << 32);
