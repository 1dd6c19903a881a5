/* ---
name = "tpu_work"
version = 1
title = "The commands of TPU engines as intervals of computing, moving data and waiting"
help = """
A command whose kind is not known, because nothing but its counters was captured, counts as the
work of its engine: compute for TIU, transfer for the others. Negative lengths count 0 ns.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End; not before the start"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "compute, transfer or sync"

[[column]]
name = "is_sync"
type = "BOOLEAN"
unit = "bool"
help = "Whether it only sends, waits or does nothing"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Length in cycles of its counter"

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  slice_id,
  engine,
  core,
  port,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns,
  coalesce(kind, CASE engine WHEN 'TIU' THEN 'compute' ELSE 'transfer' END) AS kind,
  coalesce(kind = 'sync', false) AS is_sync,
  cycles
FROM tpu_command
