/* ---
name = "tpu_work"
version = 1
title = "TPU commands as intervals of computing, moving data and waiting"
help = """
A command of unknown kind, because only its counters were captured, counts as the work of its
engine: compute for TIU, transfer for the others. Negative durations count as 0 ns.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "trace_id", "slice_id", "engine", "core", "port", "start_ns", "end_ns", "kind", "is_sync",
  "cycles",
]

[column]
slice_id.help = "Command"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; not before the start"
kind.help = "compute, transfer or sync"
cycles = { type = "BIGINT", unit = "cycle", nullable = true, help = "Duration in cycles of the engine's counter" }

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
