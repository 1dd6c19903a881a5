-- Which slice each recorded arrow point belongs to; runs after the nesting pass.
-- The Trace Event Format binds starts and steps to the slice around them, ends to the next slice
-- unless they carry bp = "e". A slice of no length at that very instant counts as around it. Some
-- writers (TensorFlow's timeline) put the start of an arrow at the very end of its slice: where
-- nothing is around a point, a slice that ends there is meant. Of several slices the innermost is
-- around a point or ends there, and the outermost begins next, in the order of the nesting pass.
CREATE TABLE binding AS
SELECT f.seq, coalesce(arg_max(i.slice_n, i.seq), any_value(n.parent_n)) AS slice_n
FROM flow_end AS f
JOIN nest AS n ON n.entry_n = f.entry_n
LEFT JOIN (SELECT slice_n, track_n, ts, seq FROM slice_order WHERE dur = 0) AS i
  ON i.track_n = f.track_n AND i.ts = f.ts
WHERE NOT f.to_next
GROUP BY f.seq;

UPDATE binding SET slice_n = ending.slice_n
FROM (
  SELECT f.seq, arg_max(s.slice_n, (s.ts, -s.reach, s.seq)) AS slice_n
  FROM slice_reach AS s
  JOIN flow_end AS f ON f.track_n = s.track_n AND f.ts = s.ts + s.reach
  JOIN binding AS b ON b.seq = f.seq AND b.slice_n IS NULL
  GROUP BY f.seq
) AS ending
WHERE ending.seq = binding.seq;

INSERT INTO binding
SELECT f.seq, s.slice_n
FROM (FROM flow_end WHERE to_next) AS f
ASOF JOIN (
  SELECT track_n, ts, arg_min(slice_n, (-reach, seq)) AS slice_n
  FROM slice_reach
  WHERE track_n IN (SELECT track_n FROM flow_end WHERE to_next)  -- others need no sorting
  GROUP BY track_n, ts
) AS s
  ON s.track_n = f.track_n AND f.ts <= s.ts;
