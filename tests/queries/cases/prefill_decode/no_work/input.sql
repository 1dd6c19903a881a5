-- input: shared/steps_of_an_engine.sql
-- The second decode launches no work: it takes 200 ns, and the decode before it, whose work ends at 750,
-- the 300 until it begins.
DELETE FROM link WHERE id = 303;
