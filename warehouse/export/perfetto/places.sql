-- Everything a track may lie under or be, one row a track.
-- In a TPU capture the directions of a port lie under the port, and ports under one heading; tracks
-- without slices that nothing lies under are left out.
WITH tpu AS (
  SELECT k.id, d.parent_device_id AS chip_id, d.kind = 'link' AS is_link, p.id AS port_track_id
  FROM track AS k
  JOIN trace AS t ON t.id = k.trace_id AND t.format = 'sophgo'
  JOIN device AS d ON d.id = k.device_id
  LEFT JOIN track AS p
    ON p.device_id = k.device_id AND k.name IN (p.name || ' TX', p.name || ' RX')
),
used AS (
  SELECT DISTINCT track_id FROM slice WHERE track_id IN (SELECT id FROM tpu)
  UNION
  SELECT port_track_id FROM tpu WHERE id IN (SELECT track_id FROM slice)
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
      AND k.trace_id IN (
        SELECT id FROM trace WHERE format IN ('nsys', 'nvprof', 'rocprof', 'rocprofv3', 'rocpd')
      )
    THEN upper(d.kind) || ' ' || d.ordinal || ' ' || coalesce(k.name, '')
    ELSE k.name
  END AS name,
  k.process_id,
  k.thread_id,
  coalesce(k.parent_track_id, u.port_track_id) AS parent_track_id,
  k.stream,
  k.unit,
  k.sort_index,
  h.tid,
  h.name AS thread_name,
  CASE WHEN u.is_link THEN u.chip_id ELSE k.device_id END AS device_id,
  CASE WHEN u.is_link THEN 'CDMA' ELSE coalesce(d.name, d.kind || ' ' || d.ordinal) END
    AS device_name
FROM track AS k
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN device AS d ON d.id = k.device_id
LEFT JOIN tpu AS u ON u.id = k.id
WHERE u.id IS NULL OR k.id IN (SELECT track_id FROM used)
UNION ALL
SELECT
  k.id,
  k.trace_id,
  'stream',
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
  NULL,
  k.sort_index,
  NULL,
  NULL,
  k.device_id,
  coalesce(d.name, d.kind || ' ' || d.ordinal)
FROM export_range_track AS k
LEFT JOIN device AS d ON d.id = k.device_id
ORDER BY 1
