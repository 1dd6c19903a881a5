-- input: shared/dpro_two_ranks.sql
-- 800 bytes in one loop and channel, of two ring steps: two pieces of 400 bytes.
UPDATE collective_tensor SET bytes = 800;
