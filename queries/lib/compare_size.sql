/* ---
name = "compare_size"
version = 2
title = "Size of both sides of a comparison"
help = """
One row. A step is one whole step of one trace (compare_step), so a run of two ranks with three
steps each has six; cut steps are those that did not end, or lie in the time window in part. If a
side has no traces there is no row.
"""
grain = []
requires = { schema = ">=1", queries = ["compare_side@1", "compare_step@1"] }
columns = [
  "n_traces_a", "n_traces_b", "n_ranks_a", "n_ranks_b", "n_steps_a", "n_steps_b", "n_cut_steps_a",
  "n_cut_steps_b", "basis",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
n_ranks_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of known ranks on side a" }
n_ranks_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_ranks_a, on side b" }
n_cut_steps_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of other steps on side a" }
n_cut_steps_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_cut_steps_a, on side b" }

[column.basis]
type = "VARCHAR"
unit = "text"
check = "IN ('step', 'trace')"
help = "step: both sides have whole steps; trace: otherwise"

[changes]
1 = "first version"
2 = "steps are whole steps; new columns for ranks and cut steps; basis is never total"
--- */
WITH every AS (
  SELECT trace_id, count(*) AS n_steps
  FROM step
  GROUP BY trace_id
),
whole AS (
  SELECT side, trace_id, count(*) AS n_steps
  FROM compare_step($a::VARCHAR, $b::VARCHAR)
  GROUP BY side, trace_id
),
counted AS (
  SELECT
    c.side,
    t.rank,
    coalesce(w.n_steps, 0) AS n_steps,
    coalesce(e.n_steps, 0) - coalesce(w.n_steps, 0) AS n_cut_steps
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  JOIN trace AS t ON t.id = c.trace_id
  LEFT JOIN every AS e ON e.trace_id = c.trace_id
  LEFT JOIN whole AS w ON w.side = c.side AND w.trace_id = c.trace_id
),
summed AS (
  SELECT
    sum(CASE WHEN side = 'a' THEN 1 ELSE 0 END)::BIGINT AS n_traces_a,
    sum(CASE WHEN side = 'b' THEN 1 ELSE 0 END)::BIGINT AS n_traces_b,
    count(DISTINCT CASE WHEN side = 'a' THEN rank END) AS n_ranks_a,
    count(DISTINCT CASE WHEN side = 'b' THEN rank END) AS n_ranks_b,
    sum(CASE WHEN side = 'a' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN side = 'b' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b,
    sum(CASE WHEN side = 'a' THEN n_cut_steps ELSE 0 END)::BIGINT AS n_cut_steps_a,
    sum(CASE WHEN side = 'b' THEN n_cut_steps ELSE 0 END)::BIGINT AS n_cut_steps_b
  FROM counted
)
SELECT
  n_traces_a,
  n_traces_b,
  n_ranks_a,
  n_ranks_b,
  n_steps_a,
  n_steps_b,
  n_cut_steps_a,
  n_cut_steps_b,
  CASE WHEN n_steps_a > 0 AND n_steps_b > 0 THEN 'step' ELSE 'trace' END AS basis
FROM summed
WHERE n_traces_a > 0 AND n_traces_b > 0
