-- input: shared/chain_of_threads_and_a_kernel.sql
-- parameters: graph_id=1
-- The group's second and third rank are the job's fifth and sixth.
INSERT INTO process_group (id, trace_id, graph_id, name, ranks_json) VALUES (1, 1, 1, '1', '[3, 5, 6]');
