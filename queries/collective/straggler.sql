/* ---
name = "straggler"
version = 1
title = "Last arrivals at collectives per rank, and their cost to the other ranks"
help = """
Covers collectives that synchronize their members (all_reduce, all_gather, reduce_scatter,
all_to_all, barrier) and were recorded by several ranks. For a rank whose collectives cannot be
compared, because a clock has no offset or links are doubtful, all columns that compare are NULL.
rank_wait has the awaited ranks, collective_instance the single collectives. A time window contains
the collectives that run in it on any rank, whole.
"""
grain = ["trace_id"]
requires = { schema = ">=1", queries = ["collective_member@1", "collective_wait@1"], rows = ["collective", "whole_link where kind = 'collective_peer' AND link_set = 'default'"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "n_collectives", "n_compared", "n_last", "n_surely_last",
  "last_share", "caused_wait_ns", "margin_ns", "wait_ns", "max_wait_ns",
]

[column]
n_collectives.help = "Number of synchronizing collectives shared with other ranks"
wait_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Time it waited for others" }
max_wait_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Longest wait of the rank" }

[column.n_compared]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of these collectives whose members all have clock offsets and certain links; the remaining columns cover only these"

[column.n_last]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Number of collectives at which it arrived last"

[column.n_surely_last]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Number of collectives at which it arrived last by more than the clock uncertainty; those with an unknown uncertainty do not count"

[column.last_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "n_last / n_compared"

[column.caused_wait_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Total wait of the other members for this rank where it arrived last"

[column.margin_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Total time from the second-to-last to this rank's arrival where it arrived last: what the collectives would gain if it were as early as the second-to-last"

[changes]
1 = "first version"
--- */
WITH waited AS (
  SELECT
    *,
    sum(wait_ns) OVER (PARTITION BY instance_id) AS all_wait_ns,
    -- The other member with the most uncertain clock relative to the last; NULL if one is unknown.
    CASE WHEN bool_and(trace_id = last_trace_id OR uncertainty_ns IS NOT NULL)
        OVER (PARTITION BY instance_id)
      THEN max(CASE WHEN trace_id <> last_trace_id THEN uncertainty_ns END)
        OVER (PARTITION BY instance_id)
    END AS worst_uncertainty_ns
  FROM collective_wait()
),
by_trace AS (
  SELECT
    trace_id,
    count(*) AS n_compared,
    sum(CASE WHEN trace_id = last_trace_id THEN 1 ELSE 0 END)::BIGINT AS n_last,
    sum(CASE WHEN trace_id = last_trace_id AND margin_ns > worst_uncertainty_ns THEN 1 ELSE 0 END)
      ::BIGINT AS n_surely_last,
    sum(CASE WHEN trace_id = last_trace_id THEN all_wait_ns ELSE 0 END)::BIGINT
      AS caused_wait_ns,
    sum(CASE WHEN trace_id = last_trace_id THEN margin_ns ELSE 0 END)::BIGINT AS margin_ns,
    sum(wait_ns)::BIGINT AS wait_ns,
    max(wait_ns) AS max_wait_ns
  FROM waited
  GROUP BY trace_id
),
shared AS (
  SELECT run_id, trace_id, rank, count(*) AS n_collectives
  FROM collective_member()
  WHERE is_synchronizing
  GROUP BY run_id, trace_id, rank
)
SELECT
  s.run_id,
  s.trace_id,
  s.rank,
  s.n_collectives,
  coalesce(b.n_compared, 0) AS n_compared,
  b.n_last,
  b.n_surely_last,
  b.n_last / nullif(b.n_compared, 0) AS last_share,
  b.caused_wait_ns,
  b.margin_ns,
  b.wait_ns,
  b.max_wait_ns
FROM shared AS s
LEFT JOIN by_trace AS b ON b.trace_id = s.trace_id
ORDER BY s.run_id, s.rank, s.trace_id
