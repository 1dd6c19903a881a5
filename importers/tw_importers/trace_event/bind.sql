-- Which slice each recorded arrow point belongs to; runs after the nesting pass.
-- The Trace Event Format binds starts and steps to the slice around them, ends to the next slice
-- unless they carry bp = "e". A slice of no length at that very instant counts as around it.
CREATE TABLE binding AS
SELECT f.seq, coalesce(max(i.slice_n), any_value(n.parent_n)) AS slice_n
FROM flow_end AS f
JOIN nest AS n ON n.entry_n = f.entry_n
LEFT JOIN (SELECT slice_n, track_n, ts FROM slice_order WHERE dur = 0) AS i
  ON i.track_n = f.track_n AND i.ts = f.ts
WHERE NOT f.to_next
GROUP BY f.seq;

INSERT INTO binding
SELECT f.seq, s.slice_n
FROM (FROM flow_end WHERE to_next) AS f
ASOF JOIN slice_order AS s ON s.track_n = f.track_n AND f.ts <= s.ts;
