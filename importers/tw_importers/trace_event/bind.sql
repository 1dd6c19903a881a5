-- Which slice each recorded arrow point belongs to; runs after the nesting pass.
-- The Trace Event Format binds starts and steps to the slice around them, ends to the next slice
-- unless they carry bp = "e". A slice of no length at that very instant counts as around it.
CREATE TABLE binding AS
WITH point AS (
  SELECT
    f.flow_n,
    f.track_n,
    f.ts,
    n.parent_n AS around_n,
    e.ph = 'f' AND e.bp IS DISTINCT FROM 'e' AS to_next
  FROM flow_end AS f
  JOIN event AS e ON e.seq = f.seq
  JOIN nest AS n ON n.entry_n = (SELECT count(*) FROM slice_order) + f.flow_n
  WHERE NOT f.is_restated
),
instant AS (
  SELECT p.flow_n, max(s.slice_n) AS slice_n
  FROM point AS p
  JOIN slice_order AS s ON s.track_n = p.track_n AND s.ts = p.ts AND s.dur = 0
  WHERE NOT p.to_next
  GROUP BY p.flow_n
),
following AS (
  SELECT p.flow_n, s.slice_n
  FROM point AS p
  ASOF JOIN slice_order AS s ON s.track_n = p.track_n AND p.ts <= s.ts
  WHERE p.to_next
)
SELECT p.flow_n, coalesce(i.slice_n, f.slice_n, CASE WHEN NOT p.to_next THEN p.around_n END) AS slice_n
FROM point AS p
LEFT JOIN instant AS i ON i.flow_n = p.flow_n
LEFT JOIN following AS f ON f.flow_n = p.flow_n;
