-- Everything a track may lie under or be, one row a track.
SELECT
  k.id,
  k.trace_id,
  k.kind,
  k.name,
  k.process_id,
  k.thread_id,
  k.parent_track_id,
  k.stream,
  k.unit,
  k.sort_index,
  h.tid,
  h.name AS thread_name,
  k.device_id,
  coalesce(d.name, d.kind || ' ' || d.ordinal) AS device_name
FROM track AS k
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN device AS d ON d.id = k.device_id
ORDER BY k.id
