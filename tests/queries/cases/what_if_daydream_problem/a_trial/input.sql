-- input: shared/dpro_two_ranks.sql
-- A group without sizes is enough, as in dPRO.
SELECT 1;
