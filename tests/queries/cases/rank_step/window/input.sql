-- input: shared/waits_of_steps.sql
-- window: 70ns 90ns
-- Step 7 runs in the window; its all_reduce, for which rank 0 waits 30 ns, ends before.
-- Ids contain the trace, as those of imports do.
UPDATE collective SET slice_id = slice_id + (trace_id << 32);
UPDATE slice SET id = id + (trace_id << 32);
UPDATE step SET slice_id = slice_id + (trace_id << 32);
UPDATE gpu_op SET slice_id = slice_id + (trace_id << 32);
UPDATE link SET
  from_id = from_id + (coalesce(trace_id, 1) << 32), to_id = to_id + (coalesce(trace_id, 2) << 32);
