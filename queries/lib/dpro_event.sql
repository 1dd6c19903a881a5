/* ---
name = "dpro_event"
version = 1
title = "Operators and communication as dPRO collects them, in one time"
help = """
The events that dPRO's graph and statistics are made of: operators that the local graph contains,
and the stages of communication from the first operator of a rank to the end of its last. Sync
events of a rank that begin together are one, and operators of MXNet or kernels of TensorFlow 1 that follow each other and belong to
one node of the graph are one, from the start of the first to the end of the last. Hosts are aligned as dPRO does by default: the last
Sync of all ranks of a host ends at the same mean time as that of the first host's ranks; after
`tw link --clock METHOD` by the offsets of that method.
Communication belongs to the step of the last operator that began before.
"""
grain = ["slice_id"]
requires = { schema = ">=17", queries = ["dpro_recorded_event@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "process", "slice_id", "name", "phase", "tensors", "stage", "loop",
  "channel", "ring_step", "part", "step", "start_ns", "dur_ns",
]

[column]
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
slice_id.help = "Slice; of several Sync events the first"
name = { type = "VARCHAR", unit = "text", help = "Name in dPRO, without the rank" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_, or Comm for communication" }
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
loop = { type = "BIGINT", unit = "count", nullable = true, help = "Loop over a large message" }
channel = { type = "BIGINT", unit = "count", nullable = true, help = "Channel" }
ring_step = { type = "BIGINT", unit = "count", nullable = true, help = "Step of the ring" }
part = { type = "BIGINT", unit = "count", nullable = true, help = "Slice of a chunk" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Start on the clock of the first host" }
dur_ns = { type = "BIGINT", unit = "ns", help = "Duration" }

[column.tensors]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Numbers of the tensors of communication, ascending, as in 3+4"

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  process,
  slice_id,
  coalesce(
    operator,
    'Comm.' || tensors || '.' || stage
      || coalesce('~>' || loop || '_' || channel || '_' || ring_step || '_' || part, '')
  ) AS name,
  phase,
  tensors,
  stage,
  loop,
  channel,
  ring_step,
  part,
  step,
  start_ns,
  dur_ns
FROM dpro_recorded_event()
ORDER BY trace_id, start_ns, slice_id
