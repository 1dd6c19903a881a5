-- The tracks of a CDMA port's directions are children of the port, ports are children of one group per
-- chip.
SELECT
  k.id AS track_id,
  p.id AS parent_track_id,
  CASE WHEN d.kind = 'link' THEN d.parent_device_id ELSE k.device_id END AS group_device_id,
  CASE WHEN d.kind = 'link' THEN 'CDMA' END AS group_name
FROM track AS k
JOIN trace AS t ON t.id = k.trace_id AND t.format = 'sophgo'
JOIN device AS d ON d.id = k.device_id
LEFT JOIN track AS p
  ON p.device_id = k.device_id AND k.name IN (p.name || ' TX', p.name || ' RX')
