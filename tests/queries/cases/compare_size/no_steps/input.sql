-- input: shared/two_runs.sql
-- input: shared/more_traces_of_two_runs.sql
-- parameters: a=before b=after
DELETE FROM step WHERE trace_id IN (1, 3);
