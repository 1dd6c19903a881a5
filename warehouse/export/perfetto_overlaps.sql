-- Tracks on which slices may overlap without nesting; the others need no further look.
-- Of the slices that overlap a sibling the earliest has its own depth, so one depth at a time is
-- enough. This reads the stored table, not the scope's view: depths hold for the whole track.
-- What never ends or ends before it begins is looked at closely, too.
SELECT DISTINCT track_id
FROM (
  SELECT
    track_id,
    dur < 0 OR ts < lag(ts + dur) OVER (PARTITION BY track_id, depth ORDER BY ts, id) AS is_odd
  FROM {stored}.slice
  WHERE dur <> 0 AND trace_id IN (SELECT trace_id FROM export_trace)
)
WHERE is_odd
