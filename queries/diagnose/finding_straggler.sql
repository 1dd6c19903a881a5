/* ---
name = "finding_straggler"
version = 1
title = "Finding: ranks wait for a rank that arrives late"
help = """
The rank for whose late arrivals at collectives the others wait longest: by how much later than the others
it came, added up (margin of straggler). Requires clocks that are related.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_wait@1"], rows = ["link where kind = 'collective_peer'"] }
scale = "run"
needs = "collectives of several ranks whose clocks are related (tw query rank_clock)"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'straggler'"
subject.help = "Rank"
n_events.help = "Number of collectives at which it arrived last"
bound_ns.help = "Time by which it came later than the one before it"

[changes]
1 = "first version"
--- */
WITH arrival AS (
  SELECT
    run_id, instance_id, any_value(last_trace_id) AS last_trace_id, any_value(last_rank) AS last_rank,
    any_value(margin_ns) AS margin_ns
  FROM collective_wait()
  GROUP BY run_id, instance_id
),
late AS (
  SELECT run_id, last_trace_id, any_value(last_rank) AS rank, count(*) AS n, sum(margin_ns)::BIGINT AS margin_ns
  FROM arrival
  GROUP BY run_id, last_trace_id
)
SELECT
  run_id,
  'straggler' AS finding,
  'rank ' || rank AS subject,
  rank,
  NULL::VARCHAR AS location,
  n AS n_events,
  margin_ns AS bound_ns,
  NULL::DOUBLE AS coverage,
  'equal_ranks(rank = $rank)' AS what_if,
  'straggler' AS evidence,
  'Other ranks wait for it at collectives' AS sentence,
  'Compare its work with that of the others (tw query rank_imbalance): its data, its host, its clocks' AS remedy
FROM late
WHERE margin_ns > 0 AND rank IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY margin_ns DESC, rank) = 1
ORDER BY run_id
