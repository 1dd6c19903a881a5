/* ---
name = "tpu_top_commands"
version = 1
title = "Slowest TPU commands"
help = """
The longest commands of each trace; synchronization is excluded unless with_sync is set. A time
window contains the commands that run in it, whole.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "place", "slice_id", "ts", "dur_ns",
  "cycles", "shown_id", "stream_n", "type", "function", "source_name", "kernel_name", "layer",
  "direction", "bytes", "bytes_per_s", "stall_cycles", "n_bank_conflicts", "uarch_rate",
]

[param.top]
type = "BIGINT"
unit = "count"
default = 50
min = 1
help = "Maximum number of rows per trace"

[param.with_sync]
type = "BOOLEAN"
unit = "bool"
default = false
help = "Include waits and other synchronization"

[column]
slice_id.help = "Command"
dur_ns.help = "Duration"
cycles.help = "Duration in cycles of the engine's counter"
type.help = "Command type"
function.help = "Function"
kernel_name.help = "Kernel"
layer.help = "Layer"
direction.help = "Direction of a transfer"
bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Bytes moved" }
bytes_per_s.help = "bytes / dur_ns; NULL if dur_ns is 0"
uarch_rate.help = "Required / executed operations; NULL: unknown"

[column.place]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Rank of the command by duration in the trace, from 1"

[column.shown_id]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Command number as shown by the vendor's tool"

[column.stream_n]
type = "BIGINT"
unit = "count"
nullable = true
help = "Position in the stream of its engine, from 0: Global Idx of the vendor's tool"

[column.n_bank_conflicts]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Bank conflicts of local memory; NULL: not counted"

[changes]
1 = "first version"
--- */
-- Sorting all rows is slow, so the top-th longest of each trace is found first.
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
