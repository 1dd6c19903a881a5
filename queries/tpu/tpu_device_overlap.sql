/* ---
name = "tpu_device_overlap"
version = 1
title = "How much of moving data computing hides, on a whole TPU"
help = """
Computing means that the TIU of some core computes, moving that some DMA engine moves data: GDMA or SDMA of
a core, or CDMA of a port. Synchronisation is neither.
"""
grain = ["trace_id"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the first start to the last end of the capture"

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

[[column]]
name = "overlap_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Both at once"

[[column]]
name = "exposed_transfer_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A DMA engine moves data and no TIU computes"

[[column]]
name = "neither_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Neither"

[[column]]
name = "compute_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "compute_ns / span_ns; NULL when that is 0"

[[column]]
name = "transfer_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "transfer_ns / span_ns; NULL when that is 0"

[[column]]
name = "overlap_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "overlap_ns / the lesser of compute_ns and transfer_ns: 1 when one hides the other; NULL when that is 0"

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT trace_id, start_ns, end_ns, engine = 'TIU' AS is_compute, is_sync, slice_id
  FROM tpu_work()
),
step AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS free_ns,
    max(end_ns) OVER (
      PARTITION BY trace_id, is_compute
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS own_free_ns
  FROM work
  WHERE NOT is_sync
),
fresh AS (
  SELECT
    trace_id,
    is_compute,
    greatest(end_ns - greatest(start_ns, coalesce(free_ns, start_ns)), 0) AS either_ns,
    greatest(end_ns - greatest(start_ns, coalesce(own_free_ns, start_ns)), 0) AS own_ns
  FROM step
),
united AS (
  SELECT
    trace_id,
    sum(either_ns)::BIGINT AS either_ns,
    sum(CASE WHEN is_compute THEN own_ns ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN NOT is_compute THEN own_ns ELSE 0 END)::BIGINT AS transfer_ns
  FROM fresh
  GROUP BY trace_id
),
span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS span_ns
  FROM work
  GROUP BY trace_id
)
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  s.span_ns,
  u.compute_ns,
  u.transfer_ns,
  u.compute_ns + u.transfer_ns - u.either_ns AS overlap_ns,
  u.either_ns - u.compute_ns AS exposed_transfer_ns,
  s.span_ns - u.either_ns AS neither_ns,
  u.compute_ns / nullif(s.span_ns, 0) AS compute_share,
  u.transfer_ns / nullif(s.span_ns, 0) AS transfer_share,
  (u.compute_ns + u.transfer_ns - u.either_ns) / nullif(least(u.compute_ns, u.transfer_ns), 0)
    AS overlap_share
FROM united AS u
JOIN span AS s ON s.trace_id = u.trace_id
JOIN trace AS t ON t.id = u.trace_id
ORDER BY t.run_id, t.rank, u.trace_id
