-- input: shared/dpro_two_ranks.sql
-- The topology names a third rank, and no rank recorded sends and receives.
INSERT INTO communication_edge (trace_id, algorithm, channel, from_rank, to_rank)
VALUES (1, 'tree', 0, 2, 0);
DELETE FROM collective WHERE stage IN ('SEND', 'RECV');
DELETE FROM collective_tensor WHERE slice_id NOT IN (SELECT slice_id FROM collective);
