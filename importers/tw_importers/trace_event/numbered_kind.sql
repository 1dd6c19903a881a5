-- Kinds by number, where some have the same hash.
-- In: `staged`, `event_kind` (kind.sql). Out: `event_row`, `event_kind`.
CREATE OR REPLACE TABLE event_kind AS
SELECT (row_number() OVER () - 1)::UBIGINT AS kind, * EXCLUDE (kind) FROM event_kind;

CREATE OR REPLACE VIEW event_row AS
SELECT s.seq, k.kind, s.name, s.id, s.ts_ns, s.dur_ns, s.args, s.text
FROM staged AS s
JOIN event_kind AS k
  ON k.ph IS NOT DISTINCT FROM s.ph
  AND k.cat IS NOT DISTINCT FROM s.cat
  AND k.pid IS NOT DISTINCT FROM s.pid
  AND k.tid IS NOT DISTINCT FROM s.tid
  AND k.bp IS NOT DISTINCT FROM s.bp
  AND k.scope IS NOT DISTINCT FROM s.scope;
