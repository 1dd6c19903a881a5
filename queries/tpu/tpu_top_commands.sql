/* ---
name = "tpu_top_commands"
version = 1
title = "The slowest TPU commands"
help = """
Those of each trace that take longest, synchronisation left out unless with_sync.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }

[param.top]
type = "BIGINT"
unit = "count"
default = 50
min = 1
help = "So many of each trace"

[param.with_sync]
type = "BOOLEAN"
unit = "bool"
default = false
help = "Whether waits and the like count too"

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
name = "place"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "1 for the longest of the trace"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Length in cycles of its counter"

[[column]]
name = "shown_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Number as the vendor's tool shows it"

[[column]]
name = "stream_n"
type = "BIGINT"
unit = "count"
nullable = true
help = "Place in the stream of its engine, from 0: Global Idx of the vendor's tool"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type of command"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Function"

[[column]]
name = "source_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name as captured"

[[column]]
name = "kernel_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel"

[[column]]
name = "layer"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Layer"

[[column]]
name = "direction"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a transfer"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Moved"

[[column]]
name = "bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "bytes / dur_ns; NULL when that is 0"

[[column]]
name = "stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Waiting for memory; NULL: not counted"

[[column]]
name = "n_bank_conflicts"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Conflicts of local memory's banks; NULL: not counted"

[[column]]
name = "uarch_rate"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Operations needed / operations done; NULL: not known"

[changes]
1 = "first version"
--- */
-- Sorting all commands would take long: the top-th longest of each trace is found first.
WITH counted AS (
  SELECT trace_id, slice_id, greatest(dur, 0) AS dur_ns
  FROM tpu_command
  WHERE kind IS DISTINCT FROM 'sync' OR $with_sync::BOOLEAN
),
edge AS (
  SELECT trace_id, list_min(max(dur_ns, $top::BIGINT)) AS least_ns
  FROM counted
  GROUP BY trace_id
),
ranked AS (
  SELECT
    c.slice_id,
    row_number() OVER (PARTITION BY c.trace_id ORDER BY c.dur_ns DESC, c.slice_id) AS place
  FROM counted AS c
  JOIN edge AS e ON e.trace_id = c.trace_id AND c.dur_ns >= e.least_ns
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.engine,
  c.core,
  c.port,
  k.place,
  c.slice_id,
  c.ts,
  greatest(c.dur, 0) AS dur_ns,
  c.cycles,
  c.shown_id,
  c.stream_n,
  c.type,
  c.function,
  c.source_name,
  c.kernel_name,
  c.layer,
  c.direction,
  c.bytes,
  c.bytes * 1e9 / nullif(greatest(c.dur, 0), 0) AS bytes_per_s,
  c.stall_cycles,
  c.n_bank_conflicts,
  c.alg_ops / nullif(c.uarch_ops, 0) AS uarch_rate
FROM ranked AS k
JOIN tpu_command AS c ON c.slice_id = k.slice_id
JOIN trace AS t ON t.id = c.trace_id
WHERE k.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, c.trace_id, k.place
