/* ---
name = "rank_wait"
version = 1
title = "Wait time between ranks, by waiting rank and awaited rank"
help = """
In each synchronizing collective every rank waits for the last one to arrive: if several arrive last
together, for the lowest of them, and the others of these wait 0 ns. Pairs that never waited for
each other, and collectives that cannot be compared because a clock has no offset or links are
doubtful, have no row; straggler counts the latter. A time window contains the collectives that run
in it on any rank, whole.
"""
grain = ["trace_id", "to_trace_id"]
requires = { schema = ">=1", queries = ["collective_wait@1"], rows = ["collective", "whole_link where kind = 'collective_peer' AND link_set = 'default'"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "to_trace_id", "to_rank", "n_collectives", "wait_ns", "max_wait_ns",
  "share",
]

[column]
to_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the rank it waited for" }
to_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank it waited for, if known" }
n_collectives.help = "Number of collectives in which it waited for that rank"
wait_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Total wait" }
max_wait_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Longest wait" }
share.help = "wait_ns / total wait of this rank; NULL: it did not wait"

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
