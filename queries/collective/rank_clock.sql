/* ---
name = "rank_clock"
version = 2
title = "What is known of the clock of each rank, and what the collectives it rests on allow"
help = """
The first columns are what every comparison of ranks uses. The others are the evidence: for each pair
of ranks with linked collectives, what must be added to this rank's clock to reach that of the lower
one, judged by these two alone. An empty interval (lower_ns above upper_ns) is shown as it is: the
clocks drift apart, or a link or a time is wrong. A rank without pairs below it has one row.
"""
grain = ["trace_id", "to_trace_id"]
requires = { schema = ">=11", queries = ["clock_interval@1"] }

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
name = "offset_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Added to its clock at its base to reach the shared time; NULL: not known, times are not compared"

[[column]]
name = "uncertainty_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "How far the true offset can be from it; NULL: not known"

[[column]]
name = "drift"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Nanoseconds added for each nanosecond since its base; NULL: none"

[[column]]
name = "method"
type = "VARCHAR"
unit = "text"
nullable = true
help = "How it was found: see clock_offset"

[[column]]
name = "to_trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of a lower rank it shares collectives with; NULL: there is none"

[[column]]
name = "to_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "That rank"

[[column]]
name = "n_collectives"
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Collectives of the two that bound the difference of their clocks"

[[column]]
name = "lower_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "At least this must be added to reach the clock of to_rank; NULL: not bounded"

[[column]]
name = "upper_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "At most this; NULL: not bounded"

[[column]]
name = "median_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Median difference of the ends"

[[column]]
name = "pair_drift"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Drift that makes the interval other than empty; the bounds are what is left then; NULL: none needed, or none helps"

[[column]]
name = "is_contradictory"
type = "BOOLEAN"
unit = "bool"
nullable = true
help = "Whether nothing fits all collectives of the two"

[changes]
1 = "first version"
2 = "traces that are graphs are left out: nothing of them is on a clock"
--- */
SELECT
  t.run_id,
  t.id AS trace_id,
  t.rank,
  c.offset_ns,
  c.uncertainty_ns,
  c.drift,
  c.method,
  i.hub_trace_id AS to_trace_id,
  h.rank AS to_rank,
  i.n_collectives,
  i.lower_ns,
  i.upper_ns,
  i.median_ns,
  i.drift AS pair_drift,
  i.is_contradictory
FROM trace AS t
LEFT JOIN clock AS c ON c.id = t.clock_id
LEFT JOIN clock_interval() AS i ON i.trace_id = t.id
LEFT JOIN trace AS h ON h.id = i.hub_trace_id
WHERE t.kind = 'timeline'
ORDER BY t.run_id, t.rank, t.id, h.rank, i.hub_trace_id
