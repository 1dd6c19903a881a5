-- Rows of queries to be drawn: track n of the command line, by trace, process and label.
CREATE OR REPLACE TEMP TABLE query_track_slice (
  n BIGINT, trace_id BIGINT, process_id BIGINT, label VARCHAR,
  ts BIGINT, dur BIGINT, name VARCHAR, args_json VARCHAR
);

CREATE OR REPLACE TEMP TABLE query_track_value (
  n BIGINT, trace_id BIGINT, process_id BIGINT, label VARCHAR, unit VARCHAR, ts BIGINT, value DOUBLE
);

-- The process that rows are shown under: that of their track, else the first with tracks of their device,
-- else the first of the trace.
CREATE OR REPLACE TEMP MACRO process_of(trace, device, the_track) AS (
  coalesce(
    (SELECT any_value(k.process_id) FROM track AS k WHERE k.id = the_track),
    (SELECT min(k.process_id) FROM track AS k WHERE k.trace_id = trace AND k.device_id = device),
    (SELECT min(p.id) FROM process AS p WHERE p.trace_id = trace)
  )
);
