-- Converts rows of queries to tracks, slices and values. Ids are greater than those of critical paths.
-- Rows are shown under the process of their track, else the first with tracks of their device, else the
-- first of the trace.
CREATE OR REPLACE TEMP TABLE query_track AS
SELECT
  trace_id * 4294967296 + 3758096384 + row_number() OVER (
    PARTITION BY trace_id ORDER BY n, device_id NULLS LAST, track_id NULLS LAST, label
  ) AS id,
  *,
  coalesce(
    (SELECT any_value(k.process_id) FROM track AS k WHERE k.id = r.track_id),
    (
      SELECT min(k.process_id) FROM track AS k
      WHERE k.trace_id = r.trace_id AND k.device_id = r.device_id
    ),
    (SELECT min(p.id) FROM process AS p WHERE p.trace_id = r.trace_id)
  ) AS process_id
FROM (
  SELECT n, trace_id, device_id, track_id, label, 'stream' AS kind, NULL::VARCHAR AS unit
  FROM query_track_slice
  UNION
  SELECT n, trace_id, device_id, track_id, label, 'counter', unit
  FROM query_track_value
) AS r;

INSERT INTO export_range_track
SELECT id, trace_id, label, process_id, NULL, NULL, -900000 + n, NULL, kind, unit
FROM query_track;

INSERT INTO export_range
SELECT
  s.trace_id * 4294967296 + 3758096384
    + row_number() OVER (PARTITION BY s.trace_id ORDER BY k.id, s.ts, s.dur DESC, s.name),
  s.trace_id, k.id, s.ts, s.dur, s.name, s.category, s.phase, s.args_json
FROM query_track_slice AS s
JOIN query_track AS k
  ON k.n = s.n AND k.trace_id = s.trace_id AND k.label = s.label
  AND k.device_id IS NOT DISTINCT FROM s.device_id
  AND k.track_id IS NOT DISTINCT FROM s.track_id;

-- A bucket that no other follows at once ends at 0.
CREATE OR REPLACE TEMP TABLE export_value AS
WITH placed AS (
  SELECT
    k.id AS track_id, v.trace_id, v.ts, v.width_ns, v.value,
    lead(v.ts) OVER (PARTITION BY k.id ORDER BY v.ts) AS next_ts
  FROM query_track_value AS v
  JOIN query_track AS k
    ON k.n = v.n AND k.trace_id = v.trace_id AND k.label = v.label
    AND k.device_id IS NOT DISTINCT FROM v.device_id
    AND k.track_id IS NOT DISTINCT FROM v.track_id
)
SELECT track_id, trace_id, ts, value
FROM placed
WHERE value IS NOT NULL
UNION ALL
SELECT track_id, trace_id, ts + width_ns, 0
FROM placed
WHERE width_ns IS NOT NULL
  AND next_ts IS DISTINCT FROM ts + width_ns;
