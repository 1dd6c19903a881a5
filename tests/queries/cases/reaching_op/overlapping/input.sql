-- Thread 10: an operator (0 to 100) around two, the second of which ends with it; one that begins during it
-- and ends later (110); one that begins during that one, ends at 115 and so lasts longer too; the next after
-- both. Of two that begin together, the longer one comes first; of equal ones, the one with the lower id.
-- Operators without duration are left out, and threads are separate. One lies in an operator that did not end.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id)
VALUES
  (1, 1, 10, 0, 100, 'outer', 'cpu_op', 0, NULL),
  (2, 1, 10, 10, 20, 'inner', 'cpu_op', 1, 1),
  (3, 1, 10, 50, 50, 'last', 'cpu_op', 1, 1),
  (4, 1, 10, 90, 20, 'crossing', 'cpu_op', 0, NULL),
  (5, 1, 10, 105, 10, 'crossing again', 'cpu_op', 0, NULL),
  (6, 1, 10, 115, 5, 'short', 'cpu_op', 1, 7),
  (7, 1, 10, 115, 10, 'long', 'cpu_op', 0, NULL),
  (8, 1, 10, 200, 10, NULL, 'cpu_op', 0, NULL),
  (9, 1, 10, 200, 10, 'equal', 'cpu_op', 1, 8),
  (10, 1, 10, 300, -1, 'unfinished', 'cpu_op', 0, NULL),
  (11, 1, 10, 300, 0, 'empty', 'cpu_op', 1, 10),
  (12, 1, 11, 20, 5, 'other thread', 'cpu_op', 0, NULL),
  (13, 1, 10, 310, 10, 'in unfinished', 'cpu_op', 1, 10);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice;
