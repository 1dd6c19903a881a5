-- Tracks on which slices may overlap without nesting; the others need no further look.
-- Of the slices that overlap a sibling the earliest has its own depth, so one depth at a time is
-- enough. This reads the stored table, not the scope's view: depths hold for the whole track.
-- What never ends or ends before it begins is looked at closely, too. On the tracks of a TPU capture
-- (is_flat) what lies in another overlaps it.
SELECT DISTINCT track_id, is_flat
FROM (
  SELECT
    s.track_id,
    t.trace_id IS NOT NULL AS is_flat,
    s.dur < 0
      OR (t.trace_id IS NOT NULL AND s.depth > 0)
      OR s.ts < lag(s.ts + s.dur) OVER (PARTITION BY s.track_id, s.depth ORDER BY s.ts, s.id) AS is_odd
  FROM {stored}.slice AS s
  LEFT JOIN (SELECT DISTINCT trace_id FROM {stored}.tpu_command) AS t ON t.trace_id = s.trace_id
  WHERE s.dur <> 0 AND s.trace_id IN (SELECT trace_id FROM export_trace)
)
WHERE is_odd
