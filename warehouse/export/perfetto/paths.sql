-- Converts `path`, the rows of predicted_path, to tracks, one for each trace, and slices. Ids are greater
-- than those of stored rows and of ranges. Slices of one node at one time are one.
CREATE OR REPLACE TEMP TABLE export_path AS
WITH single AS (
  SELECT run_id, trace_id, start_ns AS ts, dur_ns AS dur, kind, name, min(place) AS place
  FROM path
  WHERE trace_id IN (SELECT trace_id FROM export_trace)
    AND (slice_id IS NULL OR slice_id IN (SELECT id FROM slice))
  GROUP BY run_id, trace_id, start_ns, dur_ns, kind, name
)
SELECT
  *,
  trace_id * 4294967296 + 3221225472 + row_number() OVER (PARTITION BY trace_id ORDER BY place) AS id,
  trace_id * 4294967296 + 3221225472 AS track_id
FROM single;

INSERT INTO export_range_track (
  id, trace_id, name, process_id, device_id, stream, sort_index, thread_track_id
)
SELECT
  p.track_id,
  p.trace_id,
  'critical path',
  (SELECT min(r.id) FROM process AS r WHERE r.trace_id = p.trace_id),
  NULL,
  NULL,
  -1000000,
  NULL
FROM (SELECT DISTINCT track_id, trace_id FROM export_path) AS p;

INSERT INTO export_range
SELECT
  id, trace_id, track_id, ts, dur, name, 'critical_path', NULL,
  json_object('place', place, 'kind', kind)::VARCHAR
FROM export_path
