/* ---
name = "collective_member"
version = 1
title = "Records of each rank for each collective, in the run's shared time"
help = """
Members of a collective are its slice on the lowest rank and the slices linked from it (links of
kind collective_peer, default set). Operations recorded by one rank only have no row. Shared times
are those of the reference clock of clock_offset, in nanoseconds since its epoch, and NULL if a
clock has no offset. A time window contains the collectives that run in it on any rank, with all
their members.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["whole_collective_member@1"] }
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
WITH member AS (
  SELECT * FROM whole_collective_member()
),
chosen AS (
  SELECT DISTINCT m.instance_id
  FROM member AS m
  JOIN collective AS v ON v.slice_id = m.slice_id
)
SELECT
  m.instance_id,
  m.slice_id,
  m.trace_id,
  m.run_id,
  m.rank,
  m.side,
  m.kind,
  m.is_synchronizing,
  m.group_name,
  m.group_size,
  m.message_bytes,
  m.confidence,
  m.aligned_start_ns,
  m.aligned_end_ns,
  m.uncertainty_ns
FROM member AS m
SEMI JOIN chosen AS v ON v.instance_id = m.instance_id
ORDER BY m.instance_id, m.slice_id
