-- The distinct commands: by a command word, a register image, or a record without a command.
-- In: chip, command_name, data_type, kind, tiu_image, dma_image, cdma_image (tables.py); macros and
-- tiu_cost (decode/metrics.sql). Out: `meaning`, one row each, numbered so: meaning_n = kind_n for
-- words, n_kinds + image_n for images, and behind them (n_known) 12 labels of records without a
-- command: three for each engine, unknown, send and wait. These numbers are in `meaning_base`.

-- Joins are done as they are written (join.sql).
SET disabled_optimizers = 'statistics_propagation,join_order,build_side_probe_side';

CREATE TABLE meaning_base AS
SELECT
  (SELECT count(*) FROM kind) AS n_kinds,
  (SELECT count(*) FROM kind)
    + (SELECT count(*) FROM tiu_image)
    + (SELECT count(*) FROM dma_image)
    + (SELECT count(*) FROM cdma_image) AS n_known,
  name AS chip,
  memory AS way,
  tiu_sys_type,
  dma_sys_type,
  cdma_sys_type
FROM chip;

-- Words. A reference to descriptors has no type; its records are of images, or unknown.
CREATE TABLE word_meaning AS
WITH coded AS (
  SELECT
    k.*,
    if(k.engine IN ('GDMA', 'SDMA'), 'DMA', k.engine) AS name_engine,
    k.mode IS NOT DISTINCT FROM 'RVT'
      AND EXISTS (SELECT 1 FROM command_name WHERE code = 'rvt') AS is_rvt
  FROM kind AS k
),
named AS (
  SELECT
    c.kind_n,
    c.engine,
    c.is_rvt,
    c.type_code,
    if(c.is_rvt, least(c.function_code | (c.info << 5), 63), c.function_code) AS function_code,
    n.type,
    n.function,
    n.source_type,
    n.source_name,
    n.by_direction,
    n.sync,
    -- Sends, waits and their like have no operands; what their words hold besides are messages.
    c.type_code = CASE c.engine
      WHEN 'TIU' THEN b.tiu_sys_type WHEN 'CDMA' THEN b.cdma_sys_type ELSE b.dma_sys_type
    END AND NOT c.is_rvt OR n.sync IS NOT NULL AS is_sync,
    CASE WHEN c.engine = 'TIU' THEN c.info & 127 ELSE c.info & 15 END AS data_code,
    CASE
      WHEN c.engine = 'CDMA' THEN 'DDR'
      WHEN c.is_rvt AND rvt_is_load(n.source_name) THEN 'DDR'
      WHEN c.is_rvt AND rvt_is_store(n.source_name) THEN 'LMEM'
      WHEN NOT c.is_rvt THEN word_memory(c.info >> 4 & 3)
    END AS source_memory,
    CASE
      WHEN c.engine = 'CDMA' THEN 'DDR'
      WHEN c.is_rvt AND rvt_is_load(n.source_name) THEN 'LMEM'
      WHEN c.is_rvt AND rvt_is_store(n.source_name) THEN 'DDR'
      WHEN NOT c.is_rvt THEN word_memory(c.info >> 6 & 3)
    END AS destination_memory
  FROM coded AS c
  CROSS JOIN meaning_base AS b
  LEFT JOIN command_name AS n
    ON n.engine = c.name_engine
    AND n.code = if(c.is_rvt, 'rvt', 'word')
    AND n.type_code = c.type_code
    AND n.function_code = if(c.is_rvt, least(c.function_code | (c.info << 5), 63), c.function_code)
  WHERE c.mode IS DISTINCT FROM 'DES'
)
SELECT
  n.kind_n,
  n.engine,
  n.type_code,
  n.function_code,
  n.type,
  n.function,
  n.source_type AS category,
  CASE
    WHEN n.engine = 'TIU' THEN n.source_name
    ELSE directed_name(n.source_name, n.by_direction, n.source_memory, n.destination_memory)
  END AS source_name,
  n.is_sync,
  if(n.is_sync OR n.is_rvt, NULL, d.data_type) AS data_type,
  if(n.is_sync OR n.engine = 'TIU', NULL, n.source_memory) AS source_memory,
  if(n.is_sync OR n.engine = 'TIU', NULL, n.destination_memory) AS destination_memory
FROM named AS n
LEFT JOIN data_type AS d ON d.code = n.data_code;

-- Images: their shapes and addresses; names of TIU are those of images.
CREATE TABLE tiu_meaning AS
SELECT
  i.image_n,
  i.type_code,
  i.function_code,
  n.type,
  n.function,
  i.command AS category,
  i.image_name AS source_name,
  i.type_code = b.tiu_sys_type OR n.sync IS NOT NULL AS is_sync,
  if(i.operand0_precision IS NULL, NULL, d.data_type) AS data_type,
  if(i.result_precision IS NULL, NULL, r.data_type) AS result_data_type,
  i.alg_ops,
  i.uarch_ops,
  i.alg_cycles
FROM tiu_cost AS i
CROSS JOIN meaning_base AS b
LEFT JOIN command_name AS n
  ON n.engine = 'TIU' AND n.code = 'word'
  AND n.type_code = i.type_code AND n.function_code = i.function_code
LEFT JOIN data_type AS d ON d.code = i.operand0_precision
LEFT JOIN data_type AS r ON r.code = i.result_precision;

CREATE TABLE transfer_meaning AS
WITH image AS (
  SELECT 'DMA' AS name_engine, * EXCLUDE (registers_json) FROM dma_image
  UNION ALL BY NAME
  SELECT 'CDMA' AS name_engine, * EXCLUDE (registers_json) FROM cdma_image
),
placed AS (
  SELECT
    i.*,
    image_address(i.src_address_high, i.src_address_low) AS source_address,
    image_address(i.dst_address_high, i.dst_address_low) AS destination_address
  FROM image AS i
),
directed AS (
  SELECT
    p.*,
    b.dma_sys_type,
    b.cdma_sys_type,
    address_memory(p.source_address, b.way) AS source_memory,
    address_memory(p.destination_address, b.way) AS destination_memory
  FROM placed AS p
  CROSS JOIN meaning_base AS b
)
SELECT
  i.image_n,
  i.type_code,
  i.function_code,
  n.type,
  n.function,
  coalesce(n.source_type, i.command) AS category,
  directed_name(n.source_name, n.by_direction, i.source_memory, i.destination_memory)
    AS source_name,
  i.type_code = if(i.name_engine = 'CDMA', i.cdma_sys_type, i.dma_sys_type)
    OR n.sync IS NOT NULL AS is_sync,
  d.data_type,
  i.source_memory,
  i.destination_memory,
  i.source_address,
  i.destination_address
FROM directed AS i
LEFT JOIN command_name AS n
  ON n.engine = i.name_engine AND n.code = 'word'
  AND n.type_code = i.type_code AND n.function_code = i.function_code
LEFT JOIN data_type AS d ON d.code = i.data_format;

-- Records without a command: their names, and for sends and waits the meaning of their counters.
CREATE TABLE label_meaning AS
SELECT
  3 * (e.engine_n - 1) + s.sync_n AS label_n,
  e.engine,
  if(s.sync_n = 0, NULL, e.type_code) AS type_code,
  if(s.sync_n = 0, NULL, e.send_code + s.sync_n - 1) AS function_code,
  if(s.sync_n = 0, NULL, 'sys') AS type,
  s.function,
  if(s.sync_n = 0, 'unknown', 'sys') AS category,
  CASE s.sync_n WHEN 0 THEN 'unknown' WHEN 1 THEN e.send_name ELSE e.wait_name END AS source_name,
  s.sync_n > 0 AS is_sync
FROM (
  VALUES
    (1, 'TIU', 15, 8, 'send_msg', 'wait_msg'),
    (2, 'GDMA', 6, 3, 'sys_send', 'sys_wait'),
    (3, 'SDMA', 6, 3, 'sys_send', 'sys_wait'),
    (4, 'CDMA', 7, 3, 'sys_msg_tx_send', 'sys_msg_tx_wait')
) AS e (engine_n, engine, type_code, send_code, send_name, wait_name)
CROSS JOIN (VALUES (0, NULL), (1, 'send'), (2, 'wait')) AS s (sync_n, function);

CREATE TABLE meaning AS
SELECT
  m.meaning_n,
  m.* EXCLUDE (meaning_n, is_sync),
  CASE
    WHEN m.is_sync THEN 'sync'
    WHEN m.engine = 'TIU' THEN 'compute'
    ELSE 'transfer'
  END AS kind,
  CASE
    WHEN m.is_sync THEN NULL
    ELSE m.source_memory || '->' || m.destination_memory
  END AS direction
FROM (
  SELECT kind_n AS meaning_n, 'word' AS match_status, * EXCLUDE (kind_n) FROM word_meaning
  UNION ALL BY NAME
  SELECT b.n_kinds + i.image_n AS meaning_n, 'image' AS match_status, 'TIU' AS engine,
    i.* EXCLUDE (image_n)
  FROM tiu_meaning AS i
  CROSS JOIN meaning_base AS b
  UNION ALL BY NAME
  SELECT b.n_kinds + i.image_n AS meaning_n, 'image' AS match_status, 'DMA' AS engine,
    i.* EXCLUDE (image_n)
  FROM transfer_meaning AS i
  CROSS JOIN meaning_base AS b
  UNION ALL BY NAME
  SELECT b.n_known + l.label_n AS meaning_n,
    if(l.is_sync, 'heuristic', 'none') AS match_status, l.* EXCLUDE (label_n)
  FROM label_meaning AS l
  CROSS JOIN meaning_base AS b
) AS m;

-- Meanings that are equal except for shapes and addresses.
CREATE TABLE same_meaning AS
SELECT unnest(meanings) AS meaning_n, same_n
FROM (
  SELECT list(meaning_n) AS meanings, min(meaning_n) AS same_n
  FROM meaning
  GROUP BY
    match_status, kind, type_code, function_code, type, function, category, source_name, data_type,
    result_data_type, direction, source_memory, destination_memory
);
