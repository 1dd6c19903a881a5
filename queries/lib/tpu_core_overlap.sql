/* ---
name = "tpu_core_overlap"
version = 2
title = "Time in which each TPU core computes, moves data, does either"
help = """
TIU, and GDMA and SDMA of the core. Synchronisation is neither.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=14" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
help = "Core"

[[column]]
name = "either_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "TIU computes, or a DMA engine moves data"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "TIU computes"

[[column]]
name = "transfer_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A DMA engine moves data"

[changes]
2 = "reads less; the same figures"
1 = "first version"
--- */
-- Rows are sorted with as little as can be: a core is a number until the end, an engine always.
WITH place AS (
  SELECT trace_id, core, row_number() OVER (ORDER BY trace_id, core) AS place_n
  FROM tpu_operation
  WHERE core IS NOT NULL
  GROUP BY trace_id, core
),
told AS (
  SELECT
    o.id,
    p.place_n,
    CASE o.engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 ELSE 2 END AS engine_n
  FROM tpu_operation AS o
  JOIN place AS p ON p.trace_id = o.trace_id AND p.core = o.core
  WHERE coalesce(o.kind <> 'sync', true)
),
record AS (
  SELECT operation_id, slice_id, ts, dur FROM tpu_tiu_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur FROM tpu_dma_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur FROM tpu_dma_bm1688_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur FROM tpu_cdma_record
),
work AS (
  SELECT
    o.place_n, o.engine_n, r.slice_id, r.ts AS start_ns, r.ts + greatest(r.dur, 0) AS end_ns
  FROM record AS r
  JOIN told AS o ON o.id = r.operation_id
),
-- The end of the last command before, of each engine: all windows are the same, so rows are sorted once.
paced AS (
  SELECT
    *,
    lag(CASE WHEN engine_n = 0 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY place_n ORDER BY start_ns, end_ns, slice_id
    ) AS tiu_end_ns,
    lag(CASE WHEN engine_n = 1 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY place_n ORDER BY start_ns, end_ns, slice_id
    ) AS gdma_end_ns,
    lag(CASE WHEN engine_n = 2 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY place_n ORDER BY start_ns, end_ns, slice_id
    ) AS other_end_ns
  FROM work
),
-- Cores on which a command ends before one of its engine that began earlier. On the others, nearly all,
-- the end of all before is the latest of these three, which are found much faster.
odd AS (
  SELECT DISTINCT place_n
  FROM paced
  WHERE
    end_ns < CASE engine_n
      WHEN 0 THEN tiu_end_ns WHEN 1 THEN gdma_end_ns ELSE other_end_ns
    END
),
step AS (
  SELECT
    p.place_n,
    p.engine_n = 0 AS is_compute,
    p.start_ns,
    p.end_ns,
    p.tiu_end_ns AS compute_free_ns,
    coalesce(
      greatest(p.gdma_end_ns, p.other_end_ns), p.gdma_end_ns, p.other_end_ns
    ) AS transfer_free_ns
  FROM paced AS p
  LEFT JOIN odd AS o ON o.place_n = p.place_n
  WHERE o.place_n IS NULL
  UNION ALL
  SELECT
    p.place_n,
    p.engine_n = 0,
    p.start_ns,
    p.end_ns,
    max(CASE WHEN p.engine_n = 0 THEN p.end_ns END) OVER (
      PARTITION BY p.place_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    max(CASE WHEN p.engine_n <> 0 THEN p.end_ns END) OVER (
      PARTITION BY p.place_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  FROM paced AS p
  JOIN odd AS o ON o.place_n = p.place_n
),
-- What lies behind the end of all before, and of all before of the same sort, is new.
fresh AS (
  SELECT
    place_n,
    is_compute,
    end_ns,
    greatest(
      start_ns, coalesce(compute_free_ns, start_ns), coalesce(transfer_free_ns, start_ns)
    ) AS either_from_ns,
    CASE
      WHEN is_compute THEN greatest(start_ns, coalesce(compute_free_ns, start_ns))
      ELSE greatest(start_ns, coalesce(transfer_free_ns, start_ns))
    END AS own_from_ns
  FROM step
)
SELECT
  p.trace_id,
  p.core,
  CAST(sum(greatest(f.end_ns - f.either_from_ns, 0)) AS BIGINT) AS either_ns,
  CAST(sum(CASE WHEN f.is_compute THEN greatest(f.end_ns - f.own_from_ns, 0) ELSE 0 END) AS BIGINT)
    AS compute_ns,
  CAST(sum(CASE WHEN f.is_compute THEN 0 ELSE greatest(f.end_ns - f.own_from_ns, 0) END) AS BIGINT)
    AS transfer_ns
FROM fresh AS f
JOIN place AS p ON p.place_n = f.place_n
GROUP BY p.trace_id, p.core
