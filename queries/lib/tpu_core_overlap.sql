/* ---
name = "tpu_core_overlap"
version = 1
title = "Time in which each TPU core, and the whole chip, computes, moves data, does either"
help = """
Of a core: TIU, and its GDMA and SDMA. Of the chip (core NULL): all of these and CDMA. Synchronisation is
neither.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL: the whole chip"

[[column]]
name = "either_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A TIU computes, or a DMA engine moves data"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A TIU computes"

[[column]]
name = "transfer_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A DMA engine moves data"

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT trace_id, core, start_ns, end_ns, engine = 'TIU' AS is_compute, slice_id
  FROM tpu_work()
  WHERE NOT is_sync
),
placed AS (
  SELECT trace_id, core, false AS is_chip, start_ns, end_ns, is_compute, slice_id
  FROM work
  WHERE core IS NOT NULL
  UNION ALL
  SELECT trace_id, NULL, true, start_ns, end_ns, is_compute, slice_id
  FROM work
),
-- The end of all before, of all that compute, of all that move: what lies behind is new. Two unions
-- less the union of both is their overlap.
step AS (
  SELECT
    *,
    max(end_ns) OVER earlier AS free_ns,
    max(CASE WHEN is_compute THEN end_ns END) OVER earlier AS compute_free_ns,
    max(CASE WHEN NOT is_compute THEN end_ns END) OVER earlier AS transfer_free_ns
  FROM placed
  WINDOW earlier AS (
    PARTITION BY trace_id, core, is_chip
    ORDER BY start_ns, end_ns, slice_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
)
SELECT
  trace_id,
  core,
  sum(greatest(end_ns - greatest(start_ns, coalesce(free_ns, start_ns)), 0))::BIGINT AS either_ns,
  sum(CASE WHEN is_compute
    THEN greatest(end_ns - greatest(start_ns, coalesce(compute_free_ns, start_ns)), 0)
    ELSE 0 END)::BIGINT AS compute_ns,
  sum(CASE WHEN NOT is_compute
    THEN greatest(end_ns - greatest(start_ns, coalesce(transfer_free_ns, start_ns)), 0)
    ELSE 0 END)::BIGINT AS transfer_ns
FROM step
GROUP BY trace_id, core, is_chip
