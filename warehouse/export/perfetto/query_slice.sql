-- Slices of one query, from its rows `query_row`; expressions in braces are those of query_tracks.py.
INSERT INTO query_track_slice
WITH placed AS (
  SELECT trace_id, device_id, track_id, process_of(trace_id, device_id, track_id) AS process_id
  FROM (
    SELECT DISTINCT
      ({trace})::BIGINT AS trace_id, ({device})::BIGINT AS device_id, ({track})::BIGINT AS track_id
    FROM query_row
  )
)
SELECT {n}, p.trace_id, p.process_id, r.label, r.ts, r.dur, r.name, r.args
FROM (
  SELECT
    ({trace})::BIGINT AS trace_id, ({device})::BIGINT AS device_id, ({track})::BIGINT AS track_id,
    {label} AS label, {start} AS ts, {length} AS dur, {title} AS name, {args} AS args
  FROM query_row
) AS r
JOIN placed AS p
  ON p.trace_id = r.trace_id
  AND p.device_id IS NOT DISTINCT FROM r.device_id
  AND p.track_id IS NOT DISTINCT FROM r.track_id
JOIN export_trace AS t ON t.trace_id = p.trace_id
WHERE r.ts IS NOT NULL;
