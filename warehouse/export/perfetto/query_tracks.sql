-- Converts rows of queries to tracks, slices and values. Ids are greater than those of critical paths.
CREATE OR REPLACE TEMP TABLE query_track AS
SELECT
  trace_id * 4294967296 + 3758096384
    + row_number() OVER (PARTITION BY trace_id ORDER BY n, process_id, label) AS id,
  *
FROM (
  SELECT n, trace_id, process_id, label, 'stream' AS kind, NULL::VARCHAR AS unit
  FROM query_track_slice
  UNION
  SELECT n, trace_id, process_id, label, 'counter', unit
  FROM query_track_value
);

INSERT INTO export_range_track
SELECT id, trace_id, label, process_id, NULL, NULL, -900000 + n, NULL, kind, unit
FROM query_track;

INSERT INTO export_range
SELECT
  s.trace_id * 4294967296 + 3758096384
    + row_number() OVER (PARTITION BY s.trace_id ORDER BY k.id, s.ts, s.dur DESC, s.name),
  s.trace_id, k.id, s.ts, s.dur, s.name, 'query', NULL, s.args_json
FROM query_track_slice AS s
JOIN query_track AS k
  ON k.n = s.n AND k.trace_id = s.trace_id AND k.label = s.label
  AND k.process_id IS NOT DISTINCT FROM s.process_id;

CREATE OR REPLACE TEMP TABLE export_value AS
SELECT k.id AS track_id, v.trace_id, v.ts, v.value
FROM query_track_value AS v
JOIN query_track AS k
  ON k.n = v.n AND k.trace_id = v.trace_id AND k.label = v.label
  AND k.process_id IS NOT DISTINCT FROM v.process_id
WHERE v.value IS NOT NULL;
