/* ---
name = "dpro_replay"
version = 3
title = "Nodes of dPRO's global graph as work on resources, for a replay"
help = """
By default, waiting is computed and not taken from the recording: QUEUE lasts as long as that of the group
with the shortest, and a group then holds the communicator of its rank until the copy out of the fusion
buffer has ended. A send occupies its channel; a receive ends as long after its send as recorded. A
message of BytePS occupies its link for as long as it lasts, and the answer comes after the least
latency of the link; the gap behind an operator that updates weights is then the shortest of those of its
rank, as others contain waiting for pulls.

With dpro_rules, durations and resources are dPRO's: QUEUE lasts as long as recorded, waiting
included; sends and receives of all channels are served one by one; links of BytePS have its mean
latency, and stay in use for the mean gap after a message. With unlimited updates, operators
that update weights run as soon as they can.
"""
grain = ["run_id", "place"]
requires = { schema = ">=17", queries = ["dpro_byteps_node@1", "dpro_measured_node@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "place", "process", "name", "group_stage", "loop", "channel", "ring_step", "part",
  "phase", "stage", "tensors", "resource", "is_unlimited",
  "is_by_priority", "dur_ns", "gap_ns", "priority", "slot", "negotiation_ns",
]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Durations and resources as dPRO's replay has them"

[param.unlimited_updates]
type = "BOOLEAN"
default = false
help = "Updates of weights run without waiting for other operators of their rank"

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
name = { type = "VARCHAR", unit = "text", help = "Name of dpro_code: BW.name, or Comm.3+4 of all stages of a group" }
group_stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of a group; NULL: operator, or message of BytePS" }
loop = { type = "BIGINT", unit = "count", nullable = true, help = "Loop of a send or receive" }
channel = { type = "BIGINT", unit = "count", nullable = true, help = "Channel of a send or receive" }
ring_step = { type = "BIGINT", unit = "count", nullable = true, help = "Step of the ring" }
part = { type = "BIGINT", unit = "count", nullable = true, help = "Slice of a chunk" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_, or Comm for communication" }
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
tensors = { type = "VARCHAR", unit = "text", nullable = true, help = "Group of tensors of communication" }
resource = { type = "VARCHAR", unit = "text", nullable = true, help = "What of the process it runs on; NULL: needs nothing" }
is_unlimited = { type = "BOOLEAN", unit = "bool", help = "Whether the resource serves any number at once" }
is_by_priority = { type = "BOOLEAN", unit = "bool", help = "Whether of waiting nodes that of the lowest priority number comes first" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
priority.help = "Lower numbers come first"
slot = { type = "VARCHAR", unit = "text", nullable = true, help = "Group that holds the resource; NULL: only while it runs" }

[column.negotiation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time between the node and communication that follows: of Sync the negotiation, of messages the latency"

[changes]
3 = "names in parts"
2 = "gaps behind updates of weights with BytePS"
1 = "first version"
--- */
WITH shortest AS (
  SELECT trace_id, min(coalesce(gap_ns, 0)) AS gap_ns
  FROM dpro_measured_node()
  WHERE run_id IN (SELECT run_id FROM dpro_byteps_node()) AND starts_with(name, 'UPDATE_.')
    AND NOT $dpro_rules::BOOLEAN
  GROUP BY trace_id
)
SELECT
  run_id,
  n.trace_id,
  rank,
  place,
  process,
  name,
  group_stage,
  loop,
  channel,
  ring_step,
  part,
  phase,
  stage,
  tensors,
  CASE
    WHEN phase <> 'Comm' AND phase = 'UPDATE_' AND $unlimited_updates::BOOLEAN
      THEN 'operator~>UPDATE'
    WHEN phase <> 'Comm' THEN 'operator'
    WHEN stage = 'Sync' AND $dpro_rules::BOOLEAN THEN 'Comm~>Sync'
    WHEN stage = 'Sync' OR stage = 'RECV' AND NOT $dpro_rules::BOOLEAN THEN NULL
    WHEN stage IN ('SEND', 'RECV') AND $dpro_rules::BOOLEAN THEN 'Comm'
    WHEN stage = 'SEND' THEN 'channel ' || channel
    WHEN stage IN ('PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES') THEN 'Comm'
    WHEN stage IN ('COPY_FIRST', 'SUM', 'COPY_MERGED') THEN 'ServerOp'
    ELSE 'communicator'
  END AS resource,
  phase = 'UPDATE_' AND $unlimited_updates::BOOLEAN AS is_unlimited,
  phase <> 'Comm' AS is_by_priority,
  CASE
    WHEN $dpro_rules::BOOLEAN THEN dur_ns
    ELSE own_dur_ns
  END AS dur_ns,
  CASE
    WHEN phase = 'Comm' AND NOT $dpro_rules::BOOLEAN THEN 0
    WHEN starts_with(name, 'UPDATE_.') THEN least(coalesce(n.gap_ns, 0), s.gap_ns)
    ELSE coalesce(n.gap_ns, 0)
  END AS gap_ns,
  CASE
    WHEN contains(process || '->' || name, 'FW') THEN 0
    WHEN contains(process || '->' || name, 'OUTPUT') THEN 1
    WHEN contains(process || '->' || name, 'BW') THEN 2
    WHEN contains(process || '->' || name, 'UPDATE') THEN 3
    ELSE 100
  END::BIGINT AS priority,
  CASE
    WHEN stage IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'NCCL_ALLREDUCE', 'MEMCPY_OUT_FUSION_BUFFER')
      THEN tensors
  END AS slot,
  CASE
    WHEN $dpro_rules::BOOLEAN OR least_latency_ns IS NULL THEN negotiation_ns
    ELSE greatest(least_latency_ns, 0)
  END AS negotiation_ns
FROM dpro_measured_node() AS n
LEFT JOIN shortest AS s ON s.trace_id = n.trace_id
