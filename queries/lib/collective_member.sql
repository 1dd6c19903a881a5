/* ---
name = "collective_member"
version = 1
title = "What each rank recorded of a collective, on the shared time"
help = """
The members of a collective are its slice on the lowest rank and those linked from it (links of kind
collective_peer, default set); what no other rank recorded has no row. Shared times are those of the
reference of clock_offset, in nanoseconds since its epoch, and NULL where a clock has no offset.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }

[[column]]
name = "instance_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The collective: its slice on the lowest rank that recorded it"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "Its slice on this rank"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "side"
type = "VARCHAR"
unit = "text"
check = "IN ('host', 'device')"
help = "Where it was recorded: host or device"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "all_reduce, all_gather, ... as in collective_op"

[[column]]
name = "is_synchronizing"
type = "BOOLEAN"
unit = "bool"
help = "Whether no member can end before the last has begun, and the slice lasts as long as the communication"

[[column]]
name = "group_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Process group, if the source names it"

[[column]]
name = "group_size"
type = "BIGINT"
unit = "count"
nullable = true
help = "Ranks in the group, if known"

[[column]]
name = "message_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Size of the message on this rank, as the NCCL tests count it"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "That of the link to it; 1 for the lowest rank"

[[column]]
name = "aligned_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start on the shared time; NULL: the clock has no offset"

[[column]]
name = "aligned_end_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "End on the shared time; NULL: the clock has no offset"

[[column]]
name = "uncertainty_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "How far the offset may be off; NULL: not known"

[changes]
1 = "first version"
--- */
WITH peer AS (
  SELECT from_id, to_id, confidence
  FROM link
  WHERE kind = 'collective_peer'
    AND link_set = 'default'
    AND trace_id IS NULL
),
member AS (
  SELECT from_id AS instance_id, to_id AS slice_id, confidence FROM peer
  UNION ALL
  SELECT DISTINCT from_id, from_id, 1::DOUBLE FROM peer
)
SELECT
  m.instance_id,
  m.slice_id,
  o.trace_id,
  o.run_id,
  o.rank,
  o.side,
  o.kind,
  o.is_synchronizing,
  o.group_name,
  o.group_size,
  o.message_bytes,
  m.confidence,
  o.base_ns + o.start_ns + c.offset_ns
    + round(coalesce(c.drift, 0) * o.start_ns)::BIGINT AS aligned_start_ns,
  o.base_ns + o.end_ns + c.offset_ns
    + round(coalesce(c.drift, 0) * o.end_ns)::BIGINT AS aligned_end_ns,
  c.uncertainty_ns
FROM collective_op() AS o
JOIN member AS m ON m.slice_id = o.slice_id
JOIN trace AS t ON t.id = o.trace_id
LEFT JOIN clock AS c ON c.id = t.clock_id
ORDER BY m.instance_id, m.slice_id
