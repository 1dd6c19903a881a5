/* ---
name = "tpu_overlap"
version = 2
title = "Transfer/compute overlap per TPU core"
help = """
TIU against GDMA and SDMA of the core. Synchronization counts as neither. span_ns is that of the
whole capture, so cores are comparable. The whole chip, including CDMA, is in tpu_device_overlap. A
time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=9", queries = ["tpu_core_overlap@2", "tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "span_ns", "compute_ns", "transfer_ns", "overlap_ns",
  "exposed_transfer_ns", "neither_ns", "compute_share", "transfer_share", "overlap_share",
]

[column]
core = { nullable = false, help = "Core" }
span_ns.help = "Time from the first start to the last end of the capture"
compute_ns.help = "Time in which a TIU computes"
overlap_ns.help = "Time in which a TIU computes and a DMA engine moves data"
compute_share.help = "compute_ns / span_ns; NULL if span_ns is 0"

[column.overlap_share]
help = "overlap_ns / the lesser of compute_ns and transfer_ns; 1 if one is fully overlapped; NULL if the lesser is 0"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
WITH span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS span_ns
  FROM tpu_work()
  GROUP BY trace_id
)
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  u.core,
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
FROM tpu_core_overlap() AS u
JOIN span AS s ON s.trace_id = u.trace_id
JOIN trace AS t ON t.id = u.trace_id
ORDER BY t.run_id, t.rank, u.trace_id, u.core
