-- Values of one query, from its rows `query_row`; expressions in braces are those of query_tracks.py.
INSERT INTO query_track_value
WITH placed AS (
  SELECT trace_id, device_id, track_id, process_of(trace_id, device_id, track_id) AS process_id
  FROM (
    SELECT DISTINCT
      ({trace})::BIGINT AS trace_id, ({device})::BIGINT AS device_id, ({track})::BIGINT AS track_id
    FROM query_row
  )
),
row AS (
  SELECT p.trace_id, p.process_id, r.label, r.ts, r.width_ns, r.value
  FROM (
    SELECT
      ({trace})::BIGINT AS trace_id, ({device})::BIGINT AS device_id, ({track})::BIGINT AS track_id,
      {label} AS label, {start} AS ts, ({width_ns})::BIGINT AS width_ns, ({value})::DOUBLE AS value
    FROM query_row
  ) AS r
  JOIN placed AS p
    ON p.trace_id = r.trace_id
    AND p.device_id IS NOT DISTINCT FROM r.device_id
    AND p.track_id IS NOT DISTINCT FROM r.track_id
  JOIN export_trace AS t ON t.trace_id = p.trace_id
)
SELECT {n}, trace_id, process_id, label, {unit}, ts, value
FROM row
UNION ALL
-- where no bucket follows at once
SELECT {n}, trace_id, process_id, label, {unit}, ts + width_ns, 0
FROM (
  SELECT *, lead(ts) OVER (PARTITION BY trace_id, process_id, label ORDER BY ts) AS next_ts
  FROM row
)
WHERE width_ns IS NOT NULL
  AND next_ts IS DISTINCT FROM ts + width_ns;
