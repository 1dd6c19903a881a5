/* ---
name = "rank_clock"
version = 2
title = "Clock offset of each rank and the bounds set by its collectives"
help = """
The first columns are used by every comparison of ranks. The others are the evidence: for each pair
of ranks with linked collectives, the offset from this rank's clock to that of the lower rank,
derived from these two alone. An empty interval (lower_ns above upper_ns) is reported unchanged: the
clocks drift, or a link or time is wrong. A rank without lower-ranked partners has one row.
"""
grain = ["trace_id", "to_trace_id"]
requires = { schema = ">=11", queries = ["clock_interval@3"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "offset_ns", "uncertainty_ns", "drift", "method", "to_trace_id",
  "to_rank", "n_collectives", "lower_ns", "upper_ns", "median_ns", "pair_drift", "is_contradictory",
]

[column]
uncertainty_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Maximum error of the offset; NULL: unknown" }
drift.help = "Nanoseconds added per nanosecond since the base; NULL: none"
method = { type = "VARCHAR", unit = "text", nullable = true, help = "Method of the offset, see clock_offset" }
to_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank of the other trace" }
n_collectives = { nullable = true, help = "Number of collectives of the two ranks that bound the offset" }
median_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Median difference of the ends" }

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset added to the clock at its base to get the run's shared time; NULL: unknown, so times are not compared"

[column.to_trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace of a lower rank it shares collectives with; NULL: none"

[column.lower_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Lower bound of the offset to the clock of to_rank; NULL: unbounded"

[column.upper_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Upper bound of the offset to the clock of to_rank; NULL: unbounded"

[column.pair_drift]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Drift with which the interval is not empty, and which the bounds account for; NULL: no drift needed, or none fits"

[column.is_contradictory]
type = "BOOLEAN"
unit = "bool"
nullable = true
help = "Whether no offset fits all collectives of the two ranks"

[changes]
1 = "first version"
2 = "excludes graph traces, which have no clock"
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
