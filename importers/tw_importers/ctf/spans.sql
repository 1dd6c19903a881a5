-- Pairs begins with ends, and gives all slices a place: a thread, a processor, a queue of a device.
-- In: `event`, `class_rule`, `placed`. Out: `moment` (all events with their time), `pair`, `span`, and
-- the tables of places.

-- The thread of Python's agent is a field of its records.
CREATE TABLE moment AS
SELECT
  e.seq,
  e.class_n,
  coalesce(p.at_ns, e.ts) AS at_ns,
  e.ts,
  e.pid,
  CASE WHEN c.meaning = 'python' THEN coalesce(e.tid, field_number(e.payload, '$.thread')) ELSE e.tid END
    AS tid,
  e.cpu,
  CASE
    WHEN c.meaning <> 'python' THEN c.step
    WHEN field_text(e.payload, '$.msg') LIKE 'begin:%' THEN 1
    WHEN field_text(e.payload, '$.msg') LIKE 'end:%' THEN -1
    ELSE 0
  END::TINYINT AS step
FROM event AS e
JOIN class_rule AS c USING (class_n)
LEFT JOIN placed AS p ON p.seq = e.seq;

-- What events of a pair are equal in, as one number.
CREATE TABLE mark AS
SELECT
  m.seq,
  m.at_ns,
  m.ts,
  m.step,
  c.pairing IN ('name', 'key', 'count') AND c.timing IS NULL AS is_ordinal,
  hash(
    coalesce(c.stem, c.name),
    m.pid,
    CASE WHEN c.pairing IN ('thread', 'named', 'lock') THEN m.tid END,
    CASE WHEN c.pairing IN ('thread', 'named', 'lock') AND m.tid IS NULL THEN m.cpu END,
    CASE
      WHEN c.meaning = 'python' THEN regexp_extract(field_text(e.payload, '$.msg'), '^[a-z]+:(.*)', 1, 's')
      WHEN c.meaning = 'cuda_api' THEN e.name || ' ' || field_text(e.payload, '$.threadId')
      WHEN c.pairing IN ('name', 'named') THEN e.name
      WHEN c.pairing = 'key' THEN field_text(e.payload, '$.rendezvous_key')
      WHEN c.pairing = 'count' THEN field_text(e.payload, '$.count')
      WHEN c.pairing = 'lock' THEN field_text(e.payload, '$.mutex')
      WHEN c.pairing = 'queue' THEN e.name || ' ' || field_text(e.payload, '$.agent_handle') || ' '
        || field_text(e.payload, '$.queue_id')
    END
  ) AS pair_key
FROM moment AS m
JOIN event AS e USING (seq)
JOIN class_rule AS c ON c.class_n = m.class_n
WHERE m.step <> 0;

-- An end closes the last begin of its key that is still open; where the key repeats across threads,
-- the first. A rendezvous may be received before it is sent.
CREATE TABLE pair AS
WITH leveled AS (
  SELECT *, sum(step) OVER (PARTITION BY pair_key ORDER BY at_ns, ts, seq) + (step < 0)::INTEGER AS level
  FROM mark
  WHERE NOT is_ordinal
)
SELECT
  seq,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(seq) OVER same_level END AS end_seq,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(at_ns) OVER same_level END AS end_at,
  step = -1 AND lag(step) OVER same_level IS DISTINCT FROM 1 AS is_lone_end,
  step
FROM leveled
WINDOW same_level AS (PARTITION BY pair_key, level ORDER BY at_ns, ts, seq)
UNION ALL
SELECT b.seq, e.seq, e.at_ns, b.step = -1, b.step
FROM (
  SELECT *, row_number() OVER (PARTITION BY pair_key, step ORDER BY at_ns, seq) AS n
  FROM mark WHERE is_ordinal
) AS b
LEFT JOIN (
  SELECT *, row_number() OVER (PARTITION BY pair_key, step ORDER BY at_ns, seq) AS n
  FROM mark WHERE is_ordinal
) AS e ON b.step = 1 AND e.step = -1 AND e.pair_key = b.pair_key AND e.n = b.n
WHERE b.step = 1 OR NOT EXISTS (
  SELECT 1 FROM (
    SELECT pair_key, count(*) AS n_begins FROM mark WHERE is_ordinal AND step = 1 GROUP BY pair_key
  ) AS c WHERE c.pair_key = b.pair_key AND c.n_begins >= b.n
);

-- A slice for each event but the ends that have a begin.
CREATE TABLE bare_span AS
SELECT
  m.seq,
  p.end_seq,
  m.class_n,
  least(m.at_ns, p.end_at) AS at_ns,
  CASE
    WHEN m.step = 0 OR p.is_lone_end THEN 0
    WHEN p.end_at IS NULL THEN -1
    ELSE abs(p.end_at - m.at_ns)
  END AS dur,
  m.pid,
  m.tid,
  m.cpu,
  m.step
FROM moment AS m
LEFT JOIN pair AS p USING (seq)
WHERE m.step = 0 OR m.step = 1 OR p.is_lone_end;
