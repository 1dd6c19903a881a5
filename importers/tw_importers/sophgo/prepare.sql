-- From records and commands of a capture to its timeline, without any lock.
-- In: the tables of tables.py, `meaning` (meaning.sql), macros of decode/metrics.sql. Out: `kernel`,
-- `located`, `stored_operation`, `long_measured`, `entry`, `event`, `origin`, `unused`, `problem`.

-- Operations with what their commands are, and when they ran.
CREATE TABLE operation_meaning AS
SELECT
  o.operation_n,
  o.track_n,
  nullif(o.submit_core, -1) AS submit_core,
  o.id_lift,
  o.image_n,
  CASE
    WHEN o.image_n >= 0 THEN b.n_kinds + o.image_n
    WHEN k.mode IS DISTINCT FROM 'DES' AND c.kind_n IS NOT NULL THEN c.kind_n
    ELSE b.n_known + o.label_n
  END AS meaning_n,
  c.kind_n,
  k.mode,
  nullif(c.scope, -1) AS scope,
  nullif(c.batch, -1) AS batch,
  r.n_records,
  r.ts,
  r.last_ts,
  r.end_ts
FROM operation AS o
CROSS JOIN meaning_base AS b
LEFT JOIN context AS c ON c.context_n = o.context_n
LEFT JOIN kind AS k ON k.kind_n = c.kind_n
LEFT JOIN (
  SELECT operation_n, count(*) AS n_records, min(ts) AS ts, max(ts) AS last_ts,
    max(ts + dur) AS end_ts
  FROM placed
  GROUP BY operation_n
) AS r ON r.operation_n = o.operation_n
ORDER BY o.operation_n;

-- What counters add up to where a record is too long for `record` to hold it. Of BM1688 the vendor's
-- tool sums up all interfaces for words, and those of a transfer's way for images.
CREATE TABLE long_measured AS
SELECT
  d.n,
  d.start_cycle,
  d.end_cycle,
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
FROM dma_bm1688_placed AS d
CROSS JOIN chip AS c
JOIN operation_meaning AS o ON o.operation_n = d.operation_n
JOIN meaning AS m ON m.meaning_n = o.meaning_n
UNION ALL
SELECT
  n,
  start_cycle,
  end_cycle,
  w4,
  0,
  w14::BIGINT + w12 + w10 + w8,
  CASE WHEN w3 <> 0 OR w7 <> 0 THEN [
    w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17, w18, w19, w20, w21,
    w22, w23, w24, w25, w26, w27, w28, w29, w30, w31
  ]::BIGINT[] END
FROM cdma_placed;

-- Kernels: on each core one slice for every stretch of commands of one scope, in the order they start;
-- scopes that CDMA serves, too, are shown with their port alone.
CREATE TABLE kernel AS
-- Groups of equal commands: they are few, and suffice where scopes are not mixed.
WITH named AS (
  SELECT o.operation_n, o.scope, o.batch, o.ts, o.last_ts, o.end_ts, o.mode, l.core, l.port, s.name
  FROM operation_meaning AS o
  JOIN track_number AS l ON l.track_n = o.track_n
  JOIN scope AS s ON s.scope = o.scope
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
-- of several scopes are separated one by one.
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
    ON s.operation_n = p.operation_n
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
    list_sort(list(DISTINCT batch) FILTER (WHERE batch IS NOT NULL)) AS batches,
    list(DISTINCT mode) AS modes
  FROM stretch
  GROUP BY core, port, scope, name, part
  UNION ALL
  SELECT s.core, s.port, s.scope, s.name, NULL, min(s.ts), max(s.end_ts),
    list_sort(list(DISTINCT s.batch) FILTER (WHERE s.batch IS NOT NULL)),
    list(DISTINCT s.mode)
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
JOIN track_number AS l
  ON l.core IS NOT DISTINCT FROM i.core AND l.port IS NOT DISTINCT FROM i.port
  AND l.name LIKE '%Kernel Function'
ORDER BY kernel_n;

-- Kernel and layer of commands whose operation lacks them: where the scopes of a core are mixed.
-- A layer is found by the command's number from 1; where numbers start again in each part of the model,
-- it is the first of them.
CREATE TABLE located AS
WITH in_kernel AS (
  SELECT p.n, max(k.kernel_n) AS kernel_n
  FROM placed AS p
  JOIN (
    SELECT o.operation_n, k.kernel_n, k.ts, k.dur
    FROM operation_meaning AS o
    JOIN track_number AS l ON l.track_n = o.track_n
    JOIN kernel AS k
      ON k.core IS NOT DISTINCT FROM l.core AND k.port IS NOT DISTINCT FROM l.port
      AND k.scope = o.scope AND k.part IS NOT NULL
  ) AS k
    ON k.operation_n = p.operation_n AND p.ts BETWEEN k.ts AND k.ts + k.dur
  GROUP BY p.n
),
in_layer AS (
  SELECT p.n, min(y.layer_n) AS layer_n
  FROM (
    SELECT p.n, l.core, l.stream, p.command_id + 1 AS shown_id
    FROM placed AS p
    JOIN operation_meaning AS o ON o.operation_n = p.operation_n
    JOIN track_number AS l ON l.track_n = o.track_n AND l.stream IN (0, 1)
    WHERE EXISTS (FROM layer)
  ) AS p
  JOIN layer AS y
    ON y.core = p.core
    AND p.shown_id >= if(p.stream = 0, y.first_tiu_id, y.first_dma_id)
    AND p.shown_id <= if(p.stream = 0, y.last_tiu_id, y.last_dma_id)
  GROUP BY p.n
)
SELECT coalesce(k.n, y.n) AS n, k.kernel_n, y.layer_n
FROM in_kernel AS k
FULL JOIN in_layer AS y ON y.n = k.n;

-- Operations as their commands differ by kernel and layer; nearly always one of each.
CREATE TABLE variant AS
SELECT
  row_number() OVER (ORDER BY v.operation_n, v.located_kernel_n, v.layer_n) - 1 AS variant_n,
  o.* EXCLUDE (ts, last_ts, end_ts, n_records),
  e.kernel_n,
  v.located_kernel_n,
  v.layer_n,
  v.is_located
FROM (
  SELECT p.operation_n, l.kernel_n AS located_kernel_n, l.layer_n, true AS is_located
  FROM placed AS p
  JOIN located AS l ON l.n = p.n
  GROUP BY ALL
  UNION ALL
  SELECT o.operation_n, NULL, NULL, false
  FROM operation_meaning AS o
  LEFT JOIN (
    SELECT p.operation_n, count(*) AS n_located
    FROM placed AS p
    JOIN located AS l ON l.n = p.n
    GROUP BY p.operation_n
  ) AS l ON l.operation_n = o.operation_n
  WHERE o.n_records > coalesce(l.n_located, 0)
) AS v
JOIN operation_meaning AS o ON o.operation_n = v.operation_n
JOIN track_number AS l ON l.track_n = o.track_n
LEFT JOIN kernel AS e
  ON e.scope = o.scope AND e.part IS NULL
  AND e.core IS NOT DISTINCT FROM l.core AND e.port IS NOT DISTINCT FROM l.port;

-- What is stored of them: one row for all that differ in no column of their own. Register images
-- differ from command to command; what commands are called does not.
CREATE TABLE variant_group AS
SELECT unnest(variants) AS variant_n, first_n, stored_n
FROM (
  SELECT
    list(v.variant_n) AS variants,
    min(v.variant_n) AS first_n,
    row_number() OVER (ORDER BY min(v.variant_n)) - 1 AS stored_n
  FROM variant AS v
  JOIN same_meaning AS m ON m.meaning_n = v.meaning_n
  GROUP BY
    v.track_n, v.submit_core, v.id_lift, v.mode, v.scope, v.batch, v.kernel_n, v.located_kernel_n,
    v.layer_n, m.same_n
);

CREATE TABLE stored_operation AS
SELECT
  t.stored_n,
  v.track_n,
  v.submit_core,
  v.id_lift,
  v.mode,
  v.meaning_n,
  v.scope,
  v.batch,
  coalesce(v.located_kernel_n, v.kernel_n) AS kernel_n,
  v.layer_n
FROM variant_group AS t
JOIN variant AS v ON v.variant_n = t.variant_n
WHERE t.variant_n = t.first_n;

-- Columns stored with records: of each operation, and of those separated by `located`.
CREATE TABLE operation_detail AS
SELECT o.operation_n, o.track_n, t.stored_n, m.source_name, m.alg_ops, m.uarch_ops, m.alg_cycles
FROM operation_meaning AS o
JOIN meaning AS m ON m.meaning_n = o.meaning_n
LEFT JOIN (
  SELECT v.operation_n, t.stored_n
  FROM variant AS v
  JOIN variant_group AS t ON t.variant_n = v.variant_n
  WHERE NOT v.is_located
) AS t ON t.operation_n = o.operation_n;

CREATE TABLE located_detail AS
SELECT l.n, t.stored_n
FROM located AS l
JOIN placed AS p ON p.n = l.n
JOIN (
  SELECT v.*, t.stored_n
  FROM variant AS v
  JOIN variant_group AS t ON t.variant_n = v.variant_n
  WHERE v.is_located
) AS t
  ON t.operation_n = p.operation_n
  AND t.located_kernel_n IS NOT DISTINCT FROM l.kernel_n
  AND t.layer_n IS NOT DISTINCT FROM l.layer_n;

-- Only where something overlaps is there anything to nest. A table: nesting reads it on a connection of
-- its own, which does not see what is registered.
CREATE TABLE entry AS
SELECT p.n AS entry_n, o.track_n, p.ts, p.dur AS reach, p.n AS seq
FROM placed AS p
JOIN operation_meaning AS o ON o.operation_n = p.operation_n
JOIN crowded AS c ON c.track_n = o.track_n
UNION ALL
SELECT (SELECT count(*) FROM placed) + kernel_n, track_n, ts, dur, kernel_n
FROM kernel;

CREATE VIEW event AS SELECT unnest(range(n_read)) AS seq FROM extent;

CREATE VIEW origin AS SELECT origin_ns AS first_ns, origin_ns + last_ns AS last_ns FROM extent;

CREATE VIEW unused AS SELECT reason, n FROM dropped;

CREATE VIEW record_count AS SELECT 'records' AS source, n_read AS n FROM extent;

CREATE TABLE problem AS
SELECT kind, severity, count, meaning FROM found
UNION ALL
SELECT 'unmatched_record', 'note', coalesce(sum(o.n_records), 0)::BIGINT,
  'records without a matching command in a capture that has commands'
FROM operation_meaning AS o
JOIN meaning AS m ON m.meaning_n = o.meaning_n
WHERE m.match_status IN ('none', 'heuristic') AND EXISTS (FROM kind);
