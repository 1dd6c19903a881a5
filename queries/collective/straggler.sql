/* ---
name = "straggler"
version = 1
title = "How often each rank came last to a collective, and what that cost the others"
help = """
Over collectives that synchronise their members (all_reduce, all_gather, reduce_scatter, all_to_all,
barrier) and were recorded by several ranks. A rank whose collectives cannot be compared, because a
clock has no offset, has NULL for everything that compares. Whom the others waited for is in
rank_wait, single collectives in collective_instance.
"""
grain = ["trace_id"]
requires = { schema = ">=1", queries = ["collective_member@1", "collective_wait@1"] }

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
name = "n_collectives"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Synchronising collectives it shares with other ranks"

[[column]]
name = "n_compared"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those whose members all have clocks with offsets: what follows is over them"

[[column]]
name = "n_last"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "How often it came last"

[[column]]
name = "n_surely_last"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "How often it came last by more than the clocks may be off"

[[column]]
name = "last_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "n_last / n_compared"

[[column]]
name = "caused_wait_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time that the other members together waited for it where it came last"

[[column]]
name = "margin_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time by which it came after the last but one where it came last: what each collective would have gained had it been as quick as that one"

[[column]]
name = "wait_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time it waited for others"

[[column]]
name = "max_wait_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Its longest wait"

[changes]
1 = "first version"
--- */
WITH waited AS (
  SELECT
    *,
    sum(wait_ns) OVER (PARTITION BY instance_id) AS all_wait_ns,
    -- the other member whose clock is worst against that of the last
    max(CASE WHEN trace_id <> last_trace_id THEN uncertainty_ns END)
      OVER (PARTITION BY instance_id) AS worst_uncertainty_ns
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
