/* ---
name = "dpro_node"
version = 1
title = "Nodes of dPRO's global graph, with mean durations and gaps"
help = """
Each node lasts as long as its events on average; the stages of a group as long as those of its
tensors, Sync no time. A receive that begins before its send counts from the send on, without the
last step. The gap is what a rank's operators leave free on average until the next one that does not begin
before their end; a gap longer
than the operator counts as 10 µs, in a model whose name contains bert only behind updates of weights. The negotiation is the time from the end of the backward operators
to the first communication of the typical step, less what is recorded in between. Nodes of BytePS
belong to the trace of its servers (dpro_byteps_node).
"""
grain = ["run_id", "place"]
requires = { schema = ">=17", queries = ["dpro_measured_node@1"] }
scale = "run"
columns = [
  "run_id", "place", "trace_id", "rank", "process", "name", "phase", "stage", "tensors", "channel",
  "dur_ns", "own_dur_ns", "gap_ns", "n_gaps", "negotiation_ns", "least_latency_ns",
  "n_events",
]

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
name = { type = "VARCHAR", unit = "text", help = "Name, as host0.rank0->BW.name" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_, or Comm for communication" }
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
tensors = { type = "VARCHAR", unit = "text", nullable = true, help = "Group of tensors of communication" }
channel = { type = "BIGINT", unit = "count", nullable = true, help = "Channel of a send or receive" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration; 0 without events" }
gap_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Mean gap to the next operator" }
n_gaps = { type = "BIGINT", unit = "count", nullable = true, help = "Number of gaps" }
n_events = { type = "BIGINT", unit = "count", help = "Number of events; 0 for stages of a group" }

[column.own_dur_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Duration without waiting: of QUEUE the shortest of all groups, of RECV the time behind its send"

[column.negotiation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time between the node and communication that follows: of Sync the negotiation, of messages the latency"

[column.least_latency_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Least latency of the link of a message"

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  place,
  trace_id,
  rank,
  process,
  concat(
    process, '->', name, '.' || group_stage,
    CASE WHEN loop IS NOT NULL THEN concat('~>', loop, '_', channel, '_', ring_step, '_', part) END
  ) AS name,
  phase,
  stage,
  tensors,
  channel,
  dur_ns,
  own_dur_ns,
  gap_ns,
  n_gaps,
  negotiation_ns,
  least_latency_ns,
  n_events
FROM dpro_measured_node()
ORDER BY run_id, place
