-- Converts `projected`, the rows of annotation_projection by stream, to tracks and slices: one track per
-- thread and stream, below the stream. Ids are greater than those of stored rows.
INSERT INTO export_range_track (
  id, trace_id, name, process_id, device_id, stream, sort_index, thread_track_id
)
SELECT
  trace_id * 4294967296 + 2147483648 + row_number() OVER (
    PARTITION BY trace_id ORDER BY device_id, stream, track_id
  ),
  trace_id,
  concat_ws(' ', 'ranges on', coalesce('stream ' || stream, 'the device'))
    || CASE WHEN count(*) OVER (PARTITION BY trace_id, process_id, device_id, stream) > 1
      THEN ' of ' || coalesce(thread_name, 'a thread') ELSE '' END,
  process_id,
  device_id,
  stream,
  coalesce(
    (
      SELECT max(k.sort_index)
      FROM track AS k
      WHERE k.device_id = s.device_id AND k.kind = 'stream' AND k.stream IS NOT DISTINCT FROM s.stream
    ), 0
  ),
  track_id
FROM (
  SELECT DISTINCT
    r.trace_id, p.device_id, p.stream, r.track_id, r.process_id, r.thread_name
  FROM projected AS p
  JOIN export_range_source AS r ON r.slice_id = p.annotation_id
) AS s;

INSERT INTO export_range
SELECT
  p.trace_id * 4294967296 + 2147483648 + row_number() OVER (
    PARTITION BY p.trace_id ORDER BY k.id, p.start_ns, p.end_ns DESC, p.annotation_id
  ),
  p.trace_id,
  k.id,
  p.start_ns,
  p.end_ns - p.start_ns,
  p.name,
  'gpu_user_annotation',
  NULL,
  json_object('range', p.annotation_id, 'n_device_ops', p.n_device_ops, 'busy_ns', p.busy_ns)::VARCHAR
FROM projected AS p
JOIN export_range_source AS r ON r.slice_id = p.annotation_id
JOIN export_range_track AS k
  ON k.trace_id = r.trace_id
  AND k.thread_track_id = r.track_id
  AND k.device_id IS NOT DISTINCT FROM p.device_id
  AND k.stream IS NOT DISTINCT FROM p.stream;
