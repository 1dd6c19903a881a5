/* ---
name = "collective_instance"
version = 1
title = "Each collective on every rank: who came when, who waited, how long the transfer took"
help = """
One row for each rank that recorded a collective which another rank recorded too. Ranks are compared
on the shared time; where the clock of one member has no offset, everything that compares ranks is
NULL for all members. It is as exact as uncertainty_ns: a skew or a wait below that means nothing.

Waits and transfers exist where nobody can leave before the last has come: kernels and host ranges of
all_reduce, all_gather, reduce_scatter, all_to_all and barrier. Ranks that were not recorded are not
seen: group_size above n_members says that the last may have been another.
"""
grain = ["instance_id", "trace_id"]
requires = { schema = ">=1", queries = ["collective_member@1"] }

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
name = "n_members"
type = "BIGINT"
unit = "count"
check = "> 1"
help = "Ranks that recorded it"

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
help = "The least of the links between its members"

[[column]]
name = "aligned_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start on this rank, on the shared time"

[[column]]
name = "aligned_end_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "End on this rank, on the shared time"

[[column]]
name = "first_trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of the first to come; of several, the lowest rank"

[[column]]
name = "first_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its rank"

[[column]]
name = "last_trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of the last to come; of several, the lowest rank"

[[column]]
name = "last_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its rank"

[[column]]
name = "is_last"
type = "BOOLEAN"
unit = "bool"
nullable = true
help = "Whether this rank came last"

[[column]]
name = "skew_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From the first start to the last"

[[column]]
name = "lateness_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From the first start to this rank's"

[[column]]
name = "wait_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From this rank's start to the last"

[[column]]
name = "transfer_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "From the last start to this rank's end; below 0 only if an offset is off"

[[column]]
name = "uncertainty_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "The two largest uncertainties of its clocks, added; NULL: not known"

[changes]
1 = "first version"
--- */
WITH member AS (
  SELECT
    *,
    count(*) OVER instance AS n_members,
    min(confidence) OVER instance AS least_confidence,
    count(aligned_start_ns) OVER instance = count(*) OVER instance AS is_comparable,
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
