-- The counters that the presentation of a format draws, filled by trace.py, and the trace whose values
-- are read: times stay those of the trace.
CREATE OR REPLACE TEMP TABLE chrome_counter (track_id BIGINT, name VARCHAR, unit VARCHAR);
CREATE OR REPLACE TEMP TABLE export_trace AS
SELECT {trace_id}::BIGINT AS trace_id, 0::BIGINT AS shift_ns;
