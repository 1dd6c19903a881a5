/* ---
name = "tpu_device_overlap"
version = 1
title = "Transfer/compute overlap of a whole TPU"
help = """
Computing means that the TIU of any core computes, moving that any DMA engine moves data: GDMA or
SDMA of a core, or CDMA of a port. Synchronization counts as neither. A time window contains the
commands that run in it, whole.
"""
grain = ["trace_id"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "span_ns", "compute_ns", "transfer_ns", "overlap_ns",
  "exposed_transfer_ns", "neither_ns", "compute_share", "transfer_share", "overlap_share",
]

[column]
span_ns.help = "Time from the first start to the last end of the capture"
compute_ns.help = "Time in which a TIU computes"
overlap_ns.help = "Time in which a TIU computes and a DMA engine moves data"
compute_share.help = "compute_ns / span_ns; NULL if span_ns is 0"

[column.overlap_share]
help = "overlap_ns / the lesser of compute_ns and transfer_ns; 1 if one is fully overlapped; NULL if the lesser is 0"

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
