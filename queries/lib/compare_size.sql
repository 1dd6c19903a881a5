/* ---
name = "compare_size"
version = 1
title = "Size of both sides of a comparison"
help = """
One row. A step is one step of one trace, so a run of two ranks with three steps each has six. If a
side has no traces there is no row.
"""
grain = []
requires = { schema = ">=1", queries = ["compare_side@1"] }
columns = ["n_traces_a", "n_traces_b", "n_steps_a", "n_steps_b", "basis"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column.basis]
type = "VARCHAR"
unit = "text"
check = "IN ('total', 'step', 'trace')"
help = "total: both sides have equally many traces and steps; step: both have steps; trace: otherwise"

[changes]
1 = "first version"
--- */
WITH stepped AS (
  SELECT trace_id, count(*) AS n_steps
  FROM step
  GROUP BY trace_id
),
counted AS (
  SELECT
    sum(CASE WHEN c.side = 'a' THEN 1 ELSE 0 END)::BIGINT AS n_traces_a,
    sum(CASE WHEN c.side = 'b' THEN 1 ELSE 0 END)::BIGINT AS n_traces_b,
    sum(CASE WHEN c.side = 'a' THEN coalesce(s.n_steps, 0) ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN c.side = 'b' THEN coalesce(s.n_steps, 0) ELSE 0 END)::BIGINT AS n_steps_b
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  LEFT JOIN stepped AS s ON s.trace_id = c.trace_id
)
SELECT
  n_traces_a,
  n_traces_b,
  n_steps_a,
  n_steps_b,
  CASE
    WHEN n_traces_a = n_traces_b AND n_steps_a = n_steps_b THEN 'total'
    WHEN n_steps_a > 0 AND n_steps_b > 0 THEN 'step'
    ELSE 'trace'
  END AS basis
FROM counted
WHERE n_traces_a > 0 AND n_traces_b > 0
