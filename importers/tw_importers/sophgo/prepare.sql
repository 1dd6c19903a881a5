-- From records and commands of a capture to its timeline, without any lock.
-- In: the tables of tables.py, `meaning` (meaning.sql), macros of decode/metrics.sql. Out: `kernel`,
-- `in_kernel`, `in_layer`, `long_measured`, `entry`, `event`, `origin`, `unused`, `problem`.

-- What counters add up to where a record is too long for `record` to hold it. Of BM1688 the vendor's
-- tool sums up all interfaces for words, and those of a transfer's way for images.
CREATE TABLE long_measured AS
SELECT
  d.n,
  interface_bytes(
    w3::BIGINT, w5::BIGINT, w6::BIGINT, w8::BIGINT, w9::BIGINT, w11::BIGINT, w12::BIGINT,
    w14::BIGINT
  ) AS bytes,
  if(
    m.match_status = 'image',
    w28::BIGINT + w29,
    w24::BIGINT + w25 + w26 + w27 + w28 + w29 + w30 + w31
  ) AS stall_cycles,
  if(
    m.match_status = 'image',
    (w3::BIGINT + w5 + w6 + w8) // c.eu_bytes,
    w16::BIGINT + w17 + w18 + w19 + w20 + w21 + w22 + w23
  ) AS n_memory_transactions,
  -- All words, where those the layout reserves hold something.
  CASE WHEN w15 <> 0 OR w48 <> 0 OR w49 <> 0 OR w56 <> 0 OR w57 <> 0 THEN [
    w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17, w18, w19, w20, w21,
    w22, w23, w24, w25, w26, w27, w28, w29, w30, w31, w32, w33, w34, w35, w36, w37, w38, w39,
    w40, w41, w42, w43, w44, w45, w46, w47, w48, w49, w50, w51, w52, w53, w54, w55, w56, w57,
    w58, w59, w60, w61, w62, w63
  ]::BIGINT[] END AS words
FROM (SELECT n, meaning_n FROM placed) AS p
JOIN dma_bm1688_record AS d ON d.n = p.n
CROSS JOIN chip AS c
JOIN meaning AS m ON m.meaning_n = p.meaning_n
UNION ALL
SELECT
  n,
  w4,
  0,
  w14::BIGINT + w12 + w10 + w8,
  CASE WHEN w3 <> 0 OR w7 <> 0 THEN [
    w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17, w18, w19, w20, w21,
    w22, w23, w24, w25, w26, w27, w28, w29, w30, w31
  ]::BIGINT[] END
FROM cdma_record;

-- Kernels: on each core one slice for every stretch of commands of one scope, in the order they start;
-- scopes that CDMA serves, too, are shown with their port alone.
CREATE TABLE kernel AS
-- Commands alike, together: they are few, and say all that is to be known where scopes are not mixed.
WITH named AS (
  SELECT
    g.*,
    l.core,
    l.port,
    s.name,
    k.mode
  FROM (
    SELECT
      track_n, scope, batch, kind_n, min(ts) AS ts, max(ts) AS last_ts, max(ts + dur) AS end_ts
    FROM placed
    WHERE scope IS NOT NULL
    GROUP BY track_n, scope, batch, kind_n
  ) AS g
  JOIN lane AS l ON l.track_n = g.track_n
  JOIN scope AS s ON s.scope = g.scope
  LEFT JOIN kind AS k ON k.kind_n = g.kind_n
),
shown AS (
  SELECT *
  FROM named
  WHERE port IS NOT NULL
    OR (name, coalesce(batch, -1)) NOT IN (
      SELECT (name, coalesce(batch, -1)) FROM named WHERE port IS NOT NULL
    )
),
-- Where all of a scope starts before the next one does, a scope is one stretch; elsewhere commands
-- of several are told apart one by one.
span AS (
  SELECT core, port, scope, min(ts) AS first_ts, max(last_ts) AS last_ts
  FROM shown
  GROUP BY core, port, scope
),
mixed AS (
  SELECT DISTINCT core, port
  FROM (
    SELECT
      core,
      port,
      first_ts <= max(last_ts) OVER (
        PARTITION BY core, port
        ORDER BY first_ts, scope
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS is_mixed
    FROM span
  )
  WHERE is_mixed
),
single AS (
  SELECT p.n, p.ts, p.ts + p.dur AS end_ts, s.core, s.port, s.scope, s.name, s.batch, s.mode
  FROM placed AS p
  JOIN (
    SELECT s.*
    FROM shown AS s
    JOIN mixed AS m ON m.core IS NOT DISTINCT FROM s.core AND m.port IS NOT DISTINCT FROM s.port
  ) AS s
    ON s.track_n = p.track_n AND s.scope = p.scope AND s.kind_n = p.kind_n
    AND s.batch IS NOT DISTINCT FROM p.batch
),
stretch AS (
  SELECT *, sum(is_new::BIGINT) OVER (PARTITION BY core, port ORDER BY ts, end_ts, n) AS part
  FROM (
    SELECT
      *,
      scope IS DISTINCT FROM lag(scope) OVER (
        PARTITION BY core, port ORDER BY ts, end_ts, n
      ) AS is_new
    FROM single
  )
),
interval AS (
  SELECT core, port, scope, name, part, min(ts) AS ts, max(end_ts) AS end_ts,
    list_sort(list(DISTINCT batch)) AS batches, list(DISTINCT mode) AS modes
  FROM stretch
  GROUP BY core, port, scope, name, part
  UNION ALL
  SELECT s.core, s.port, s.scope, s.name, NULL, min(s.ts), max(s.end_ts),
    list_sort(list(DISTINCT s.batch)), list(DISTINCT s.mode)
  FROM shown AS s
  ANTI JOIN mixed AS m ON m.core IS NOT DISTINCT FROM s.core AND m.port IS NOT DISTINCT FROM s.port
  GROUP BY s.core, s.port, s.scope, s.name
)
SELECT
  row_number() OVER (ORDER BY l.track_n, i.ts, i.end_ts DESC, i.scope, i.part) - 1 AS kernel_n,
  l.track_n,
  i.core,
  i.port,
  i.scope,
  i.part,
  i.name,
  i.ts,
  i.end_ts - i.ts AS dur,
  i.batches,
  list_filter(['RVT', 'TDI', 'DES'], lambda m: list_contains(i.modes, m)) AS modes
FROM interval AS i
JOIN lane AS l
  ON l.core IS NOT DISTINCT FROM i.core AND l.port IS NOT DISTINCT FROM i.port
  AND l.name LIKE '%Kernel Function'
ORDER BY kernel_n;

-- The kernel each command of a core with mixed scopes is shown under; elsewhere its scope says it.
CREATE TABLE in_kernel AS
SELECT p.n, max(k.kernel_n) AS kernel_n
FROM placed AS p
JOIN (
  SELECT l.track_n, k.kernel_n, k.scope, k.ts, k.dur
  FROM lane AS l
  JOIN kernel AS k
    ON k.core IS NOT DISTINCT FROM l.core AND k.port IS NOT DISTINCT FROM l.port
    AND k.part IS NOT NULL
) AS k
  ON k.track_n = p.track_n AND k.scope = p.scope AND p.ts BETWEEN k.ts AND k.ts + k.dur
GROUP BY p.n;

-- The layer each command belongs to, by its number from 1; where numbers start again in each part of
-- the model, it is the first of them.
CREATE TABLE in_layer AS
SELECT p.n, min(y.layer_n) AS layer_n
FROM (
  SELECT p.n, l.core, l.stream, p.id + 1 AS shown_id
  FROM placed AS p
  JOIN lane AS l ON l.track_n = p.track_n AND l.stream IN (0, 1)
  WHERE EXISTS (FROM layer)
) AS p
JOIN layer AS y
  ON y.core = p.core
  AND p.shown_id >= if(p.stream = 0, y.first_tiu_id, y.first_dma_id)
  AND p.shown_id <= if(p.stream = 0, y.last_tiu_id, y.last_dma_id)
GROUP BY p.n;

-- Only where something overlaps is there anything to nest. A table: nesting reads it on a connection of
-- its own, which does not see what is registered.
CREATE TABLE entry AS
SELECT p.n AS entry_n, p.track_n, p.ts, p.dur AS reach, p.n AS seq
FROM placed AS p
SEMI JOIN crowded AS c ON c.track_n = p.track_n
UNION ALL
SELECT (SELECT count(*) FROM placed) + kernel_n, track_n, ts, dur, kernel_n
FROM kernel;

CREATE VIEW event AS SELECT unnest(range(n_read)) AS seq FROM extent;

CREATE VIEW origin AS SELECT origin_ns AS first_ns, origin_ns + last_ns AS last_ns FROM extent;

CREATE VIEW unused AS SELECT reason, n FROM dropped;

CREATE TABLE problem AS
SELECT kind, severity, count, meaning FROM found
UNION ALL
SELECT 'unmatched_record', 'note', count(*),
  'records no command was found for, though the capture has commands'
FROM placed AS p
JOIN meaning AS m USING (meaning_n)
WHERE m.match_status IN ('none', 'heuristic') AND EXISTS (FROM kind);
