-- input: shared/dpro_two_ranks.sql
-- The only tensor has 850 bytes.
UPDATE collective_tensor SET bytes = 850;
