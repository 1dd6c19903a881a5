-- input: shared/memory_of_two_devices.sql
DELETE FROM memory_event WHERE slice_id = 15;
