-- parameters: trace_id=1
-- Arrow 1 goes from slice 1 over 2 to 3. Key 2 is used twice, one after the other. Key 3 is another
-- arrow in another category. A point without a slice makes no link, nor does an arrow to itself.
INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, slice_id)
VALUES (1, 1, 10, 0, 's', 'a', 'n', '1', 1), (2, 1, 10, 5, 't', 'a', 'n', '1', 2),
  (3, 1, 10, 9, 'f', 'a', 'n', '1', 3),
  (4, 1, 10, 1, 's', 'a', 'n', '2', 4), (5, 1, 10, 2, 'f', 'a', 'n', '2', 5),
  (6, 1, 10, 3, 's', 'a', 'n', '2', 6), (7, 1, 10, 4, 'f', 'a', 'n', '2', 7),
  (8, 1, 10, 1, 's', 'b', 'n', '3', 8), (9, 1, 10, 2, 'f', 'c', 'n', '3', 9),
  (10, 1, 10, 1, 's', 'd', 'n', '4', NULL), (11, 1, 10, 2, 'f', 'd', 'n', '4', 9),
  (12, 1, 10, 1, 's', 'e', 'n', '5', 2), (13, 1, 10, 2, 'f', 'e', 'n', '5', 2);
