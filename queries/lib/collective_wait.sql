/* ---
name = "collective_wait"
version = 1
title = "How long each member of a synchronising collective waited, and for whom"
help = """
Only collectives whose members can be compared: all clocks have offsets. Of several that came last
together, the lowest rank counts as the last.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["collective_member@1"] }

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
name = "last_trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "Trace of the last to come"

[[column]]
name = "last_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its rank, if known"

[[column]]
name = "wait_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From this rank's start to that of the last"

[[column]]
name = "margin_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the last but one to that of the last"

[[column]]
name = "uncertainty_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Uncertainties of the clocks of this rank and of the last, added; NULL: not known"

[changes]
1 = "first version"
--- */
WITH member AS (
  SELECT
    *,
    count(aligned_start_ns) OVER instance = count(*) OVER instance AS is_comparable,
    max(aligned_start_ns) OVER instance AS last_start_ns,
    row_number() OVER (
      PARTITION BY instance_id ORDER BY aligned_start_ns DESC, rank NULLS LAST, trace_id
    ) AS place_from_last
  FROM collective_member()
  WHERE is_synchronizing
  WINDOW instance AS (PARTITION BY instance_id)
),
ends AS (
  SELECT
    instance_id,
    max(CASE WHEN place_from_last = 1 THEN trace_id END) AS last_trace_id,
    max(CASE WHEN place_from_last = 1 THEN rank END) AS last_rank,
    max(CASE WHEN place_from_last = 1 THEN uncertainty_ns END) AS last_uncertainty_ns,
    max(CASE WHEN place_from_last = 2 THEN aligned_start_ns END) AS before_last_start_ns
  FROM member
  WHERE is_comparable
  GROUP BY instance_id
)
SELECT
  m.instance_id,
  m.slice_id,
  m.trace_id,
  m.run_id,
  m.rank,
  e.last_trace_id,
  e.last_rank,
  m.last_start_ns - m.aligned_start_ns AS wait_ns,
  m.last_start_ns - e.before_last_start_ns AS margin_ns,
  m.uncertainty_ns + e.last_uncertainty_ns AS uncertainty_ns
FROM member AS m
JOIN ends AS e ON e.instance_id = m.instance_id
WHERE m.is_comparable
  AND e.before_last_start_ns IS NOT NULL
ORDER BY m.instance_id, m.slice_id
