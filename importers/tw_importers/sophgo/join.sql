-- Which command each record is of, and what that means, as numbers: as many rows as `record` has.
-- In: record, pair, command, kind, chip and images (tables.py). Out: `joined`; `meaning_base`, which says
-- how meanings are numbered (meaning.sql).

-- How many rows are registered DuckDB does not know, so joins are done as they are written: what is
-- named later is put into memory.
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

-- The join of records to their commands: a section of records was paired with commands one after the
-- other, or with one reference to descriptors (n_commands = 0), and with images one after the other.
-- Nothing is sorted: n says which record a row is of. -1: none.
CREATE VIEW joined AS
SELECT
  r.n,
  coalesce(
    m.n_kinds + coalesce(
      CASE WHEN r.id - p.first_id < p.n_images THEN p.first_image + r.id - p.first_id END,
      if(c.image_n >= 0, c.image_n, NULL)
    ),
    if(k.mode IS DISTINCT FROM 'DES', c.kind_n, NULL),
    m.n_known + r.label_n
  )::INTEGER AS meaning_n,
  coalesce(c.kind_n, -1) AS kind_n,
  coalesce(c.scope, -1) AS scope,
  coalesce(c.batch, -1) AS batch
FROM record AS r
CROSS JOIN meaning_base AS m
LEFT JOIN pair AS p ON p.pair_n = r.pair_n
LEFT JOIN command AS c
  ON c.command_n = p.first_command + if(p.n_commands > 0, r.id - p.first_id, 0)
  AND p.first_command >= 0
  AND (p.n_commands = 0 OR r.id - p.first_id < p.n_commands)
LEFT JOIN kind AS k ON k.kind_n = c.kind_n;
