-- input: shared/steps_of_an_engine.sql
-- The work of the second decode is on no device that is known: the step before it lasts until it begins.
UPDATE gpu_op SET device_id = NULL WHERE slice_id = 203;
