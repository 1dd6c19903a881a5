/* ---
name = "collective_instance"
version = 1
title = "Collective operations per rank: arrival order, waits and transfer time"
help = """
One row per rank that recorded a collective which at least one other rank also recorded. Ranks are
compared in the run's shared time; if the clock of one member has no offset, or a link is doubtful
(confidence 0.5 and below), all columns that compare ranks are NULL for all members. The precision
is uncertainty_ns: a skew or wait below it is not significant.

Waits and transfers are given where no member can leave before the last has arrived: kernels and
host ranges of all_reduce, all_gather, reduce_scatter, all_to_all and barrier. Ranks without a
recording are not included: if group_size exceeds n_members, the last rank may be another one. A
time window contains the collectives that run in it on any rank, whole.
"""
grain = ["instance_id", "trace_id"]
requires = { schema = ">=1", queries = ["collective_member@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "instance_id", "slice_id", "side", "kind", "group_name",
  "group_size", "n_members", "message_bytes", "confidence", "aligned_start_ns", "aligned_end_ns",
  "first_trace_id", "first_rank", "last_trace_id", "last_rank", "is_last", "skew_ns", "lateness_ns",
  "wait_ns", "transfer_ns", "uncertainty_ns",
]

[column]
slice_id.help = "Slice on this rank"
kind.help = "all_reduce, all_gather, ... as in collective_op"
n_members = { type = "BIGINT", unit = "count", check = "> 1", help = "Number of ranks that recorded it" }
aligned_end_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "End on this rank, in the run's shared time" }
first_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank of the first to arrive" }
last_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank of the last to arrive" }
is_last = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether this rank arrived last" }
uncertainty_ns.help = "Sum of the two largest uncertainties of its clocks; NULL: unknown"

[column.confidence]
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "Lowest confidence of the links between its members"

[column.aligned_start_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start on this rank, in the run's shared time"

[column.first_trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of the first to arrive; of several, the lowest rank"

[column.last_trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of the last to arrive; of several, the lowest rank"

[column.skew_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from the first start to the last"

[column.lateness_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from the first start to this rank's start"

[column.wait_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from this rank's start to that of the last"

[column.transfer_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time from the last start to this rank's end; negative only if an offset is wrong"

[changes]
1 = "first version"
--- */
WITH member AS (
  SELECT
    *,
    count(*) OVER instance AS n_members,
    min(confidence) OVER instance AS least_confidence,
    count(aligned_start_ns) OVER instance = count(*) OVER instance
      AND min(confidence) OVER instance > 0.5 AS is_comparable,
    count(uncertainty_ns) OVER instance = count(*) OVER instance AS is_bounded,
    min(aligned_start_ns) OVER instance AS first_start_ns,
    max(aligned_start_ns) OVER instance AS last_start_ns,
    row_number() OVER (
      PARTITION BY instance_id ORDER BY aligned_start_ns, rank NULLS LAST, trace_id
    ) AS place,
    row_number() OVER (
      PARTITION BY instance_id ORDER BY aligned_start_ns DESC, rank NULLS LAST, trace_id
    ) AS place_from_last,
    row_number() OVER (
      PARTITION BY instance_id ORDER BY uncertainty_ns DESC, trace_id
    ) AS uncertainty_place
  FROM collective_member()
  WINDOW instance AS (PARTITION BY instance_id)
),
ends AS (
  SELECT
    instance_id,
    max(CASE WHEN place = 1 THEN trace_id END) AS first_trace_id,
    max(CASE WHEN place = 1 THEN rank END) AS first_rank,
    max(CASE WHEN place_from_last = 1 THEN trace_id END) AS last_trace_id,
    max(CASE WHEN place_from_last = 1 THEN rank END) AS last_rank,
    sum(CASE WHEN uncertainty_place <= 2 THEN uncertainty_ns END)::BIGINT AS uncertainty_ns
  FROM member
  WHERE is_comparable
  GROUP BY instance_id
)
SELECT
  m.run_id,
  m.trace_id,
  m.rank,
  m.instance_id,
  m.slice_id,
  m.side,
  m.kind,
  m.group_name,
  m.group_size,
  m.n_members,
  m.message_bytes,
  m.least_confidence AS confidence,
  m.aligned_start_ns,
  m.aligned_end_ns,
  e.first_trace_id,
  e.first_rank,
  e.last_trace_id,
  e.last_rank,
  m.trace_id = e.last_trace_id AS is_last,
  CASE WHEN m.is_comparable THEN m.last_start_ns - m.first_start_ns END AS skew_ns,
  CASE WHEN m.is_comparable THEN m.aligned_start_ns - m.first_start_ns END AS lateness_ns,
  CASE WHEN m.is_comparable AND m.is_synchronizing THEN m.last_start_ns - m.aligned_start_ns END
    AS wait_ns,
  CASE WHEN m.is_comparable AND m.is_synchronizing THEN m.aligned_end_ns - m.last_start_ns END
    AS transfer_ns,
  CASE WHEN m.is_bounded THEN e.uncertainty_ns END AS uncertainty_ns
FROM member AS m
LEFT JOIN ends AS e ON e.instance_id = m.instance_id
ORDER BY m.run_id, m.instance_id, m.rank, m.trace_id
