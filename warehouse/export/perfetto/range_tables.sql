-- Empty tables for ranges projected onto streams, and the slices of the file: stored ones and ranges.
CREATE OR REPLACE TEMP VIEW export_range_source AS
SELECT a.slice_id, a.trace_id, k.id AS track_id, k.process_id, k.name AS thread_name
FROM annotation AS a
JOIN track AS k ON k.id = a.track_id
JOIN trace AS t ON t.id = a.trace_id
WHERE a.side = 'host'
  AND (a.style IS NULL OR a.style = 'push_pop')
  AND t.format IN ('nsys', 'nvprof', 'rocprof', 'rocprofv3', 'rocpd');

CREATE OR REPLACE TEMP TABLE export_range_track (
  id BIGINT,
  trace_id BIGINT,
  name VARCHAR,
  process_id BIGINT,
  device_id BIGINT,
  stream BIGINT,
  sort_index BIGINT,
  thread_track_id BIGINT,
  kind VARCHAR DEFAULT 'stream',
  unit VARCHAR
);

CREATE OR REPLACE TEMP TABLE export_range (
  id BIGINT,
  trace_id BIGINT,
  track_id BIGINT,
  ts BIGINT,
  dur BIGINT,
  name VARCHAR,
  category VARCHAR,
  phase VARCHAR,
  args_json VARCHAR
);

CREATE OR REPLACE TEMP VIEW export_slice AS
SELECT id, trace_id, track_id, ts, dur, name, category, phase, args_json FROM slice
UNION ALL
SELECT id, trace_id, track_id, ts, dur, name, category, phase, args_json FROM export_range;
