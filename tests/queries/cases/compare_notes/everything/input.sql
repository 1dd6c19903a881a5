-- input: shared/two_runs.sql
-- input: shared/more_traces_of_two_runs.sql
-- parameters: a=before b=after
-- The memset after has no duration, of one operator neither; a step did not end; after was recorded by
-- another profiler, which shares a kernel, and before has no memset.
UPDATE trace SET format = 'nsys' WHERE run_id = 2;
UPDATE step SET dur = -1 WHERE slice_id = 501;
UPDATE cpu_op SET dur = -1 WHERE slice_id = 215;
