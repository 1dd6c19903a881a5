/* ---
name = "tpu_core_overlap"
version = 1
title = "Time in which each TPU core computes, moves data, does either"
help = """
TIU, and GDMA and SDMA of the core. Synchronisation is neither.
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
1 = "first version"
--- */
WITH work AS (
  SELECT trace_id, core, start_ns, end_ns, engine = 'TIU' AS is_compute, slice_id
  FROM tpu_work()
  WHERE NOT is_sync AND core IS NOT NULL
),
-- The end of all before, and of all before of the same sort: what lies behind is new.
step AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id, core
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS free_ns,
    max(end_ns) OVER (
      PARTITION BY trace_id, core, is_compute
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS own_free_ns
  FROM work
),
fresh AS (
  SELECT
    trace_id,
    core,
    is_compute,
    greatest(end_ns - greatest(start_ns, coalesce(free_ns, start_ns)), 0) AS either_ns,
    greatest(end_ns - greatest(start_ns, coalesce(own_free_ns, start_ns)), 0) AS own_ns
  FROM step
)
SELECT
  trace_id,
  core,
  sum(either_ns)::BIGINT AS either_ns,
  sum(CASE WHEN is_compute THEN own_ns ELSE 0 END)::BIGINT AS compute_ns,
  sum(CASE WHEN NOT is_compute THEN own_ns ELSE 0 END)::BIGINT AS transfer_ns
FROM fresh
GROUP BY trace_id, core
