-- Flow points at slices themselves, and the records kept as text; runs after flows.sql, in the same
-- transaction.

INSERT INTO flow_point
SELECT
  getvariable('first_id') + seq,
  getvariable('trace_id') + (seq >> 32),
  getvariable('first_id') + track_n,
  ts,
  phase,
  NULL,
  'bind_id',
  bind_id,
  'e',
  getvariable('first_id') + slice_n,
  NULL
FROM scratch.bound_flow
ORDER BY seq;

-- A text that stands for one slice or one flow point names it, so that an export does not write
-- it twice.
INSERT INTO source_event
SELECT
  getvariable('first_id') + e.seq,
  getvariable('trace_id') + (e.seq >> 32),
  e.ph,
  CASE WHEN e.ph IN ('X', 'i', 'I') THEN getvariable('first_id') + s.slice_n END,
  CASE
    WHEN e.ph IN ('s', 't', 'f') AND e.ts_ns IS NOT NULL OR b.seq IS NOT NULL
      THEN getvariable('first_id') + e.seq
  END,
  e.text
FROM (SELECT seq, ph, ts_ns, text FROM scratch.event WHERE text IS NOT NULL) AS e
LEFT JOIN scratch.slice_order AS s ON s.seq = e.seq
LEFT JOIN scratch.bound_flow AS b ON b.seq = e.seq
ORDER BY e.seq;
