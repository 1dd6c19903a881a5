-- input: shared/dpro_two_ranks.sql
-- Rank 0 records the bytes of one of two sends; rank 1 sends the first part again in a later step, with
-- other bytes. Computed by hand.
UPDATE collective SET input_bytes = CASE WHEN ring_step = 0 THEN 1000 ELSE 2048 END
WHERE stage = 'SEND' AND (trace_id = 2 OR ring_step = 0);

INSERT INTO cpu_op BY NAME
SELECT * REPLACE (slice_id + 200 AS slice_id, ts + 1000000 AS ts, 1 AS step_number) FROM cpu_op;

INSERT INTO collective BY NAME
SELECT * REPLACE (slice_id + 100 AS slice_id, ts + 1000000 AS ts, 3000 AS input_bytes)
FROM collective WHERE stage = 'SEND' AND trace_id = 2 AND ring_step = 0;

INSERT INTO collective_tensor BY NAME
SELECT * REPLACE (slice_id + 100 AS slice_id)
FROM collective_tensor WHERE slice_id + 100 IN (SELECT slice_id FROM collective);
