-- All tracks and their possible parents, one row per track.
-- Tracks of display_track without slices and without used children are omitted.
WITH used AS (
  SELECT DISTINCT track_id FROM slice WHERE track_id IN (SELECT track_id FROM display_track)
  UNION
  SELECT parent_track_id FROM display_track WHERE track_id IN (SELECT track_id FROM slice)
)
SELECT
  k.id,
  k.trace_id,
  k.kind,
  -- Streams of several GPUs of one process would otherwise have the same names.
  CASE
    WHEN k.kind = 'stream'
      AND min(k.device_id) OVER (PARTITION BY k.process_id)
        <> max(k.device_id) OVER (PARTITION BY k.process_id)
      AND k.trace_id IN (SELECT trace_id FROM display_trace WHERE names_streams_by_device)
    THEN upper(d.kind) || ' ' || d.ordinal || ' ' || coalesce(k.name, '')
    ELSE k.name
  END AS name,
  k.process_id,
  k.thread_id,
  coalesce(k.parent_track_id, u.parent_track_id) AS parent_track_id,
  k.stream,
  k.unit,
  k.sort_index,
  h.tid,
  h.name AS thread_name,
  coalesce(u.group_device_id, k.device_id) AS device_id,
  coalesce(u.group_name, d.name, d.kind || ' ' || d.ordinal) AS device_name
FROM track AS k
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN device AS d ON d.id = k.device_id
LEFT JOIN display_track AS u ON u.track_id = k.id
WHERE u.track_id IS NULL OR k.id IN (SELECT track_id FROM used)
UNION ALL
SELECT
  k.id,
  k.trace_id,
  k.kind,
  CASE
    WHEN min(k.device_id) OVER (PARTITION BY k.process_id)
      <> max(k.device_id) OVER (PARTITION BY k.process_id)
    THEN upper(d.kind) || ' ' || d.ordinal || ' ' || k.name
    ELSE k.name
  END,
  k.process_id,
  NULL,
  NULL,
  k.stream,
  k.unit,
  k.sort_index,
  NULL,
  NULL,
  k.device_id,
  coalesce(d.name, d.kind || ' ' || d.ordinal)
FROM export_range_track AS k
LEFT JOIN device AS d ON d.id = k.device_id
ORDER BY 1
