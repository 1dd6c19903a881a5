/* ---
name = "rank_wait"
version = 1
title = "Which rank waited for which, and how long"
help = """
In each synchronising collective every rank waits for the one that came last. Pairs that never waited
for each other, and collectives that cannot be compared because a clock has no offset, have no row:
straggler says how many those are.
"""
grain = ["trace_id", "to_trace_id"]
requires = { schema = ">=1", queries = ["collective_wait@1"] }

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
name = "to_trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "Trace of the rank it waited for"

[[column]]
name = "to_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The rank it waited for, if known"

[[column]]
name = "n_collectives"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Collectives in which it waited for that rank"

[[column]]
name = "wait_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "How long, together"

[[column]]
name = "max_wait_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "The longest of these waits"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "wait_ns / all the time this rank waited; NULL: it did not wait"

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  last_trace_id AS to_trace_id,
  last_rank AS to_rank,
  count(*) AS n_collectives,
  sum(wait_ns)::BIGINT AS wait_ns,
  max(wait_ns) AS max_wait_ns,
  sum(wait_ns) / nullif(sum(sum(wait_ns)) OVER (PARTITION BY trace_id), 0) AS share
FROM collective_wait()
WHERE trace_id <> last_trace_id
GROUP BY run_id, trace_id, rank, last_trace_id, last_rank
ORDER BY run_id, rank, trace_id, to_rank, to_trace_id
