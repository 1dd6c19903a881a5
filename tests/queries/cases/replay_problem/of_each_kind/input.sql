-- input: shared/dpro_two_ranks.sql
-- Rank 1 has a second step, recorded no communication, and is not in the ring of rank 0; so its host
-- has no Sync either.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
VALUES
  (8589934692, 2, 8589934592, 1000000, 1000, 'net/MatMul', 1),
  (8589934693, 2, 8589934592, 1001000, 1000, 'gradient_tape/net/MatMul', 1);
DELETE FROM collective WHERE trace_id = 2;
DELETE FROM collective_tensor WHERE trace_id = 2;
DELETE FROM communication_edge WHERE from_rank = 1;
