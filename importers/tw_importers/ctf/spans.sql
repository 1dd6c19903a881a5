-- Pairs begins with ends, and gives all slices a track: of a thread, a processor, a queue of a device.
-- In: `event`, `class_rule`, `placed`. Out: `moment` (all events with their time), `bare_span`, and
-- the tables of numbered tracks.

-- What events of a pair are equal in is one number (`pair_key`), and so is a payload: payloads are
-- read once, and no table that is sorted has any. The thread of Python's agent is a field of its records.
CREATE TEMP TABLE moment AS
WITH said AS (
  SELECT
    e.seq,
    e.class_n,
    e.ts,
    e.pid,
    e.tid AS own_tid,
    e.cpu,
    e.name,
    e.payload,
    c.step AS class_step,
    c.meaning,
    c.pairing,
    c.timing,
    coalesce(c.stem, c.name) AS stem,
    CASE WHEN c.meaning = 'python' THEN field_text(e.payload, '$.msg') END AS message
  FROM event AS e
  JOIN class_rule AS c USING (class_n)
),
placed_event AS (
  SELECT
    s.*,
    coalesce(p.at_ns, s.ts) AS at_ns,
    CASE WHEN s.meaning = 'python' THEN coalesce(s.own_tid, field_number(s.payload, '$.thread'))
      ELSE s.own_tid
    END AS tid,
    CASE
      WHEN s.meaning <> 'python' THEN s.class_step
      WHEN s.message LIKE 'begin:%' THEN 1
      WHEN s.message LIKE 'end:%' THEN -1
      ELSE 0
    END::TINYINT AS step
  FROM said AS s
  LEFT JOIN placed AS p ON p.seq = s.seq
)
SELECT
  seq, class_n, at_ns, ts, pid, tid, cpu, step, name,
  hash(payload) AS content,
  pairing IN ('name', 'key', 'count') AND timing IS NULL AS is_ordinal,
  CASE WHEN step <> 0 THEN hash(
    stem,
    pid,
    CASE WHEN pairing IN ('thread', 'named', 'lock') THEN tid END,
    CASE WHEN pairing IN ('thread', 'named', 'lock') AND tid IS NULL THEN cpu END,
    CASE
      WHEN meaning = 'python' THEN regexp_extract(message, '^[a-z]+:(.*)', 1, 's')
      WHEN meaning = 'cuda_api' THEN name || ' ' || field_text(payload, '$.threadId')
      WHEN pairing IN ('name', 'named') THEN name
      WHEN pairing = 'key' THEN field_text(payload, '$.rendezvous_key')
      WHEN pairing = 'count' THEN field_text(payload, '$.count')
      WHEN pairing = 'lock' THEN field_text(payload, '$.mutex')
      WHEN pairing = 'queue' THEN name || ' ' || field_text(payload, '$.agent_handle') || ' '
        || field_text(payload, '$.queue_id')
    END
  ) END AS pair_key
FROM placed_event;

CREATE TEMP VIEW mark AS
SELECT seq, at_ns, ts, step, is_ordinal, pair_key, content FROM moment WHERE step <> 0;

-- An end closes the last begin of its key that is still open; where the key repeats across threads,
-- the first. A rendezvous may be received before it is sent. Most ends follow their begin at once;
-- the others are sorted by the number of begins that are open, too.
CREATE TEMP TABLE leveled AS
SELECT
  seq, at_ns, ts, step, pair_key, content,
  sum(step) OVER same_key + (step < 0)::INTEGER AS level,
  lag(step) OVER same_key AS step_before,
  lead(step) OVER same_key AS step_after,
  lead(seq) OVER same_key AS seq_after,
  lead(at_ns) OVER same_key AS at_after,
  lead(content) OVER same_key AS content_after
FROM mark
WHERE NOT is_ordinal
WINDOW same_key AS (PARTITION BY pair_key ORDER BY at_ns, ts, seq);

CREATE TEMP TABLE pair AS
SELECT
  seq, seq_after AS end_seq, at_after AS end_at, content_after <> content AS has_other_end,
  false AS is_lone_end
FROM leveled
WHERE step = 1 AND step_after = -1
UNION ALL
SELECT
  seq,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(seq) OVER same_level END,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(at_ns) OVER same_level END,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(content) OVER same_level <> content END,
  step = -1 AND lag(step) OVER same_level IS DISTINCT FROM 1
FROM leveled
WHERE NOT coalesce((step = 1 AND step_after = -1) OR (step = -1 AND step_before = 1), false)
WINDOW same_level AS (PARTITION BY pair_key, level ORDER BY at_ns, ts, seq)
UNION ALL
SELECT b.seq, e.seq, e.at_ns, e.content <> b.content, b.step = -1
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
DROP TABLE leveled;

CREATE TEMP TABLE bare_span AS
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
  m.step,
  m.name,
  p.has_other_end
FROM moment AS m
LEFT JOIN pair AS p USING (seq)
WHERE m.step = 0 OR m.step = 1 OR p.is_lone_end;

DROP TABLE pair;
