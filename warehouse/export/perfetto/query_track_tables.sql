-- Rows of queries to be drawn: those of track n of the command line.
CREATE OR REPLACE TEMP TABLE query_track_slice (
  n BIGINT, trace_id BIGINT, device_id BIGINT, track_id BIGINT, label VARCHAR,
  ts BIGINT, dur BIGINT, name VARCHAR, args_json VARCHAR, category VARCHAR, phase VARCHAR
);

CREATE OR REPLACE TEMP TABLE query_track_value (
  n BIGINT, trace_id BIGINT, device_id BIGINT, track_id BIGINT, label VARCHAR, unit VARCHAR,
  ts BIGINT, width_ns BIGINT, value DOUBLE
);
