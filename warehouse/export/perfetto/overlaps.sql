-- Tracks on which slices may overlap without nesting; others need no lanes.
-- The first slice that overlaps a sibling has the sibling's depth, so comparing slices of equal depth is
-- sufficient. This reads the stored table, not the view of the scope, because depths are computed for
-- whole tracks. Slices that never end, or end before they begin, are candidates too. On flat tracks,
-- nested slices overlap.
SELECT DISTINCT track_id, is_flat
FROM (
  SELECT
    s.track_id,
    t.trace_id IS NOT NULL AS is_flat,
    s.dur < 0
      OR (t.trace_id IS NOT NULL AND s.depth > 0)
      OR s.ts < lag(s.ts + s.dur) OVER (PARTITION BY s.track_id, s.depth ORDER BY s.ts, s.id) AS is_odd
  FROM {stored}.slice AS s
  LEFT JOIN display_trace AS t ON t.trace_id = s.trace_id AND t.is_flat
  WHERE s.dur <> 0 AND s.trace_id IN (SELECT trace_id FROM export_trace)
)
WHERE is_odd
