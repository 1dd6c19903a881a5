-- Thread 10: an operator (0 to 100) around two, the second of which ends with it; one that begins during it
-- and ends later (110); one that begins during that one, ends at 115 and so lasts longer too; the next after
-- both. Of two that begin together, the longer one comes first; of equal ones, the one with the lower id.
-- Operators without duration are left out, and threads are separate.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES
  (1, 1, 10, 0, 100, 'outer'),
  (2, 1, 10, 10, 20, 'inner'),
  (3, 1, 10, 50, 50, 'last'),
  (4, 1, 10, 90, 20, 'crossing'),
  (5, 1, 10, 105, 10, 'crossing again'),
  (6, 1, 10, 115, 5, 'short'),
  (7, 1, 10, 115, 10, 'long'),
  (8, 1, 10, 200, 10, NULL),
  (9, 1, 10, 200, 10, 'equal'),
  (10, 1, 10, 300, -1, 'unfinished'),
  (11, 1, 10, 300, 0, 'empty'),
  (12, 1, 11, 20, 5, 'other thread');
