-- From records and commands of a capture to its timeline, without any lock.
-- In: the tables of tables.py, `meaning` (meaning.sql), macros of decode/metrics.sql. Out: `placed`,
-- `kernel`, `in_kernel`, `measured`, `entry`, `event`, `origin`, `unused`, `problem`.

-- The join of records to their commands: a section of records was paired with commands one after the
-- other, or with one reference to descriptors (n_commands = 0), and with images one after the other.
CREATE TABLE bound AS
SELECT
  r.n,
  c.kind_n,
  c.scope,
  c.batch,
  coalesce(
    CASE WHEN r.id - p.first_id < p.n_images THEN p.first_image + r.id - p.first_id END,
    if(c.image_n >= 0, c.image_n, NULL)
  ) AS image_n
FROM record AS r
JOIN pair AS p ON p.pair_n = r.pair_n
LEFT JOIN command AS c
  ON c.command_n = p.first_command + if(p.n_commands > 0, r.id - p.first_id, 0)
  AND p.first_command >= 0
  AND (p.n_commands = 0 OR r.id - p.first_id < p.n_commands);

CREATE TABLE placed AS
SELECT
  r.n,
  r.track_n,
  r.ts,
  r.dur,
  coalesce(
    m.n_kinds + b.image_n,
    CASE WHEN k.mode IS DISTINCT FROM 'DES' THEN b.kind_n END,
    m.n_known + r.label_n
  ) AS meaning_n,
  k.mode,
  if(b.scope >= 0, b.scope, NULL) AS scope,
  if(b.batch >= 0, b.batch, NULL) AS batch,
  if(k.mode = 'RVT', b.image_n IS NOT NULL, false) AS is_odd
FROM record AS r
CROSS JOIN meaning_base AS m
LEFT JOIN bound AS b ON b.n = r.n
LEFT JOIN kind AS k ON k.kind_n = b.kind_n
ORDER BY r.n;

-- Kernels: on each core one slice for every stretch of commands of one scope, in the order they start;
-- scopes that CDMA serves, too, are shown with their port alone.
CREATE TABLE kernel AS
WITH named AS (
  SELECT
    p.n,
    l.core,
    l.port,
    p.scope,
    s.name,
    p.batch,
    p.mode,
    p.ts,
    p.ts + p.dur AS end_ts
  FROM placed AS p
  JOIN lane AS l ON l.track_n = p.track_n
  JOIN scope AS s ON s.scope = p.scope
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
  SELECT core, port, scope, min(ts) AS first_ts, max(ts) AS last_ts
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
stretch AS (
  SELECT *, sum(is_new::BIGINT) OVER (PARTITION BY core, port ORDER BY ts, end_ts, n) AS part
  FROM (
    SELECT
      s.*,
      s.scope IS DISTINCT FROM lag(s.scope) OVER (
        PARTITION BY s.core, s.port ORDER BY s.ts, s.end_ts, s.n
      ) AS is_new
    FROM shown AS s
    JOIN mixed AS m ON m.core IS NOT DISTINCT FROM s.core AND m.port IS NOT DISTINCT FROM s.port
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

-- The kernel each command is shown under.
CREATE TABLE in_kernel AS
SELECT p.n, k.kernel_n
FROM placed AS p
JOIN lane AS l ON l.track_n = p.track_n
JOIN kernel AS k
  ON k.core IS NOT DISTINCT FROM l.core AND k.port IS NOT DISTINCT FROM l.port
  AND k.scope = p.scope AND p.ts BETWEEN k.ts AND k.ts + k.dur
QUALIFY row_number() OVER (PARTITION BY p.n ORDER BY k.ts DESC, k.kernel_n) = 1;

-- What the counters of a record add up to.
CREATE TABLE measured AS
SELECT
  n,
  NULL::BIGINT AS bytes,
  NULL::BIGINT AS stall_cycles,
  (w3 >> 1)::BIGINT AS n_bank_conflicts,
  NULL::BIGINT AS n_memory_transactions,
  'tiu' AS layout
FROM tiu_record
UNION ALL
SELECT n, NULL, w5, NULL, NULL, 'tiu'
FROM tiu_bm1688_record
UNION ALL
SELECT
  d.n,
  axi_bytes(c.name, w5::BIGINT, w10::BIGINT, w11::BIGINT),
  axi_stall_cycles(c.name, w4::BIGINT, w8::BIGINT, w9::BIGINT),
  NULL,
  axi_transactions(c.name, w12::BIGINT, w13::BIGINT, w7::BIGINT, w6::BIGINT),
  'dma'
FROM dma_record AS d
CROSS JOIN chip AS c
UNION ALL
SELECT
  d.n,
  interface_bytes(
    w3::BIGINT, w5::BIGINT, w6::BIGINT, w8::BIGINT, w9::BIGINT, w11::BIGINT, w12::BIGINT,
    w14::BIGINT
  ),
  -- The vendor's tool sums up all interfaces for words, and those of a transfer's way for images.
  if(
    m.match_status = 'image',
    w28::BIGINT + w29,
    w24::BIGINT + w25 + w26 + w27 + w28 + w29 + w30 + w31
  ),
  NULL,
  if(
    m.match_status = 'image',
    (w3::BIGINT + w5 + w6 + w8) // c.eu_bytes,
    w16::BIGINT + w17 + w18 + w19 + w20 + w21 + w22 + w23
  ),
  'dma_bm1688'
FROM dma_bm1688_record AS d
CROSS JOIN chip AS c
LEFT JOIN placed AS p ON p.n = d.n
LEFT JOIN meaning AS m ON m.meaning_n = p.meaning_n
UNION ALL
SELECT n, w4, 0, NULL, w14::BIGINT + w12 + w10 + w8, 'cdma'
FROM cdma_record;

CREATE VIEW entry AS
SELECT n AS entry_n, track_n, ts, dur AS reach, n AS seq
FROM placed
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
WHERE m.match_status IN ('none', 'heuristic') AND EXISTS (FROM command);
