/* ---
name = "tpu_core_overlap"
version = 2
title = "Time in which each TPU core computes, moves data, or does either"
help = """
Covers TIU, and GDMA and SDMA of the core. Synchronization counts as neither.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=14" }
scale = "trace"
columns = ["trace_id", "core", "either_ns", "compute_ns", "transfer_ns"]

[column]
core = { nullable = false, help = "Core" }
compute_ns.help = "Time in which the TIU computes"

[column.either_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which the TIU computes or a DMA engine moves data"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
-- Sorts narrow rows: a core is a number until the end, an engine always.
WITH numbered_core AS (
  SELECT trace_id, core, row_number() OVER (ORDER BY trace_id, core) AS core_n
  FROM tpu_operation
  WHERE core IS NOT NULL
  GROUP BY trace_id, core
),
operation AS (
  SELECT
    o.id,
    p.core_n,
    CASE o.engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 ELSE 2 END AS engine_n
  FROM tpu_operation AS o
  JOIN numbered_core AS p ON p.trace_id = o.trace_id AND p.core = o.core
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
    o.core_n, o.engine_n, r.slice_id, r.ts AS start_ns, r.ts + greatest(r.dur, 0) AS end_ns
  FROM record AS r
  JOIN operation AS o ON o.id = r.operation_id
),
-- The end of the previous command of each engine: all windows are the same, so rows are sorted
-- once.
paced AS (
  SELECT
    *,
    lag(CASE WHEN engine_n = 0 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY core_n ORDER BY start_ns, end_ns, slice_id
    ) AS tiu_end_ns,
    lag(CASE WHEN engine_n = 1 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY core_n ORDER BY start_ns, end_ns, slice_id
    ) AS gdma_end_ns,
    lag(CASE WHEN engine_n = 2 THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY core_n ORDER BY start_ns, end_ns, slice_id
    ) AS other_end_ns
  FROM work
),
-- Cores on which a command ends before an earlier one of its engine. On the others, nearly all, the
-- end of all previous commands is the latest of these three, which is much faster to compute.
unordered AS (
  SELECT DISTINCT core_n
  FROM paced
  WHERE
    end_ns < CASE engine_n
      WHEN 0 THEN tiu_end_ns WHEN 1 THEN gdma_end_ns ELSE other_end_ns
    END
),
step AS (
  SELECT
    p.core_n,
    p.engine_n = 0 AS is_compute,
    p.start_ns,
    p.end_ns,
    p.tiu_end_ns AS compute_free_ns,
    coalesce(
      greatest(p.gdma_end_ns, p.other_end_ns), p.gdma_end_ns, p.other_end_ns
    ) AS transfer_free_ns
  FROM paced AS p
  LEFT JOIN unordered AS o ON o.core_n = p.core_n
  WHERE o.core_n IS NULL
  UNION ALL
  SELECT
    p.core_n,
    p.engine_n = 0,
    p.start_ns,
    p.end_ns,
    max(CASE WHEN p.engine_n = 0 THEN p.end_ns END) OVER (
      PARTITION BY p.core_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    max(CASE WHEN p.engine_n <> 0 THEN p.end_ns END) OVER (
      PARTITION BY p.core_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  FROM paced AS p
  JOIN unordered AS o ON o.core_n = p.core_n
),
-- The part beyond the end of all previous commands, and of all previous ones of the same sort, is
-- new.
fresh AS (
  SELECT
    core_n,
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
JOIN numbered_core AS p ON p.core_n = f.core_n
GROUP BY p.trace_id, p.core
