-- The kinds of events that were typed in SQL alone (see kinds.py).
-- In: `staged`, the columns of stage.sql and a hash of those that make a kind, `kind`.
-- Out: `event`, `event_seq`, `event_row`, `event_kind`.
CREATE OR REPLACE VIEW event AS SELECT * EXCLUDE (kind) FROM staged;

-- Counting these needs no join.
CREATE OR REPLACE VIEW event_seq AS SELECT seq FROM staged;

CREATE OR REPLACE TABLE event_kind AS
SELECT DISTINCT kind, 0::BIGINT AS trace_n, ph, cat, pid, tid, bp, scope FROM staged;

CREATE OR REPLACE VIEW event_row AS
SELECT seq, kind, name, id, ts_ns, dur_ns, args, text FROM staged;
