/* ---
name = "tpu_overlap"
version = 1
title = "How much of moving data computing hides, on each TPU core"
help = """
TIU against GDMA and SDMA of the core. Synchronisation is neither. span_ns is that of the whole capture, so
that cores compare. The whole chip, with CDMA, is in tpu_device_overlap.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=9", queries = ["tpu_core_overlap@1", "tpu_work@1"] }

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
name = "core"
type = "BIGINT"
unit = "count"
help = "Core"

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
