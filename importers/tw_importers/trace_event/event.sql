-- Events as stage.sql types them, from what is stored of them.
-- In: `event_row` and `event_kind` (kinds.py). Out: `event`, `event_seq`.
CREATE OR REPLACE VIEW event_seq AS SELECT seq FROM event_row;

CREATE OR REPLACE VIEW event AS
SELECT
  r.seq,
  k.ph,
  k.cat,
  r.name,
  k.pid,
  k.tid,
  r.id,
  k.bp,
  k.scope,
  r.ts_ns,
  r.dur_ns,
  r.args,
  r.text
FROM event_row AS r
JOIN event_kind AS k ON k.kind = r.kind;
