-- The flow points of one part of the events, inside the transaction of the import.
-- Variables: trace_id, first_id, and first_row and last_row, the part's first and last seq.

-- The kinds of flow points: others are not read.
SET VARIABLE kinds = (
  SELECT {'first': min(kind), 'last': max(kind)}
  FROM scratch.kind_track
  WHERE ph IN ('s', 't', 'f')
);

-- Flow points are numbered by their place in the file.
INSERT INTO flow_point
SELECT
  getvariable('first_id') + e.seq,
  getvariable('trace_id') + (e.seq >> 32),
  getvariable('first_id') + k.track_n,
  e.ts_ns - k.first_ns,
  k.ph,
  k.cat,
  e.name,
  e.id,
  k.bp,
  getvariable('first_id') + b.slice_n,
  CASE WHEN e.text IS NOT NULL THEN unknown_keys(e.text) END
FROM scratch.event_row AS e
JOIN scratch.kind_track AS k ON k.kind = e.kind
LEFT JOIN scratch.binding AS b ON b.seq = e.seq
WHERE k.ph IN ('s', 't', 'f')
  AND e.ts_ns IS NOT NULL
  AND e.kind BETWEEN getvariable('kinds').first AND getvariable('kinds').last
  AND e.seq BETWEEN getvariable('first_row') AND getvariable('last_row')
ORDER BY e.seq;
