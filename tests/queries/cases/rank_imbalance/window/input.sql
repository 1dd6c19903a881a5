-- input: shared/imbalance_of_two_ranks.sql
-- window: 55ns 65ns
-- Rank 1 begins step 7 when rank 0 has ended it. Its row is the same as without a time window.
UPDATE step SET ts = 60 WHERE slice_id = 201;
