-- input: shared/memory_of_two_devices.sql
-- After the last three events of cuda 0, 4096 bytes of 4400 are reserved, 93.1 %: first by one in outer. Of cuda 1
-- nothing says what is reserved.
INSERT INTO device (id, trace_id, kind, ordinal, memory_bytes) VALUES (90, 1, 'gpu', 0, 4400), (91, 1, 'gpu', 1, 50);
