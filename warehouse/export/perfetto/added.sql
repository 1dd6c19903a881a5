-- Converts `added`, rows of a query of a presentation, to tracks and slices. Ids are greater than those of
-- stored rows and of ranges, and less than those of critical paths.
INSERT INTO export_range_track (
  id, trace_id, name, process_id, device_id, stream, sort_index, thread_track_id
)
SELECT
  trace_id * 4294967296 + 2684354560 + row_number() OVER (
    PARTITION BY trace_id ORDER BY process_id, track_name
  ),
  trace_id, track_name, process_id, NULL, NULL, sort_index, NULL
FROM (
  SELECT trace_id, process_id, track_name, min(sort_index) AS sort_index
  FROM added
  GROUP BY trace_id, process_id, track_name
);

INSERT INTO export_range
SELECT
  a.trace_id * 4294967296 + 2684354560 + row_number() OVER (
    PARTITION BY a.trace_id ORDER BY k.id, a.start_ns, a.dur_ns DESC, a.name
  ),
  a.trace_id,
  k.id,
  a.start_ns,
  a.dur_ns,
  a.name,
  a.category,
  NULL,
  a.args_json
FROM added AS a
JOIN export_range_track AS k
  ON k.trace_id = a.trace_id
  AND k.process_id IS NOT DISTINCT FROM a.process_id
  AND k.name = a.track_name
  AND k.id >= a.trace_id * 4294967296 + 2684354560;
