-- Tracks on which slices may overlap without nesting; the others need no further look.
-- Of the slices that overlap a sibling the earliest has its own depth, so one depth at a time is
-- enough. This reads the stored table, not the scope's view: depths hold for the whole track.
-- Slices that never end, or end before they begin, are candidates too. On flat tracks a slice inside
-- another overlaps it.
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
