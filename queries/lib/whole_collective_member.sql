/* ---
name = "whole_collective_member"
version = 1
title = "Records of each rank for each collective, inside and outside of the time window"
help = """
Members of a collective are its slice on the lowest rank and the slices linked from it (links of
kind collective_peer, default set). Operations recorded by one rank only have no row. Shared times
are those of the reference clock of clock_offset, in nanoseconds since its epoch, and NULL if a
clock has no offset. Collectives of
all times are returned.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
scale = "run"
columns = [
  "instance_id", "slice_id", "trace_id", "run_id", "rank", "side", "kind", "is_synchronizing",
  "group_name", "group_size", "message_bytes", "confidence", "aligned_start_ns", "aligned_end_ns",
  "uncertainty_ns",
]

[column]
slice_id.help = "Slice on this rank"
kind.help = "all_reduce, all_gather, ... as in collective_op"

[column.is_synchronizing]
help = "Whether no member can end before the last has begun, and the slice lasts as long as the communication"

[column.confidence]
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "Confidence of the link to the member; 1 for the lowest rank"

[column.aligned_start_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start in the run's shared time; NULL: the clock has no offset"

[column.aligned_end_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "End in the run's shared time; NULL: the clock has no offset"

[changes]
1 = "first version"
--- */
WITH peer AS (
  SELECT from_id, to_id, confidence
  FROM whole_link
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
