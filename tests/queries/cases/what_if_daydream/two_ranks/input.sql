-- input: shared/dpro_two_ranks.sql
-- The tensor has 850 bytes on both ranks.
UPDATE collective_tensor SET bytes = 850;
