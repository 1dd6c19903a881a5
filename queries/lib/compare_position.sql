/* ---
name = "compare_position"
version = 1
title = "Whole steps of a comparison, numbered alike on all ranks of a run"
help = """
Ranks may record different steps, or a time window may cut different ones. So steps are counted by
their numbers over all ranks of a run on a side: one step has one position on all ranks. Where steps
have no numbers, or numbers that do not rise, or where ranks share less than about half of them, they
are counted in each trace.
"""
grain = ["side", "step_id"]
requires = { schema = ">=1", queries = ["compare_step@1"] }
columns = ["side", "run_id", "trace_id", "step_id", "position"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
step_id.help = "Slice of the step"
position.help = "Position of the step among the whole steps of its run, from 1"

[changes]
1 = "first version"
--- */
WITH placed AS (
  SELECT
    c.side,
    t.run_id,
    c.trace_id,
    c.step_id,
    c.step,
    c.position,
    c.n_steps,
    c.step > coalesce(
      lag(c.step) OVER (PARTITION BY c.side, c.trace_id ORDER BY c.position), c.step - 1
    ) AS is_rising
  FROM compare_step($a::VARCHAR, $b::VARCHAR) AS c
  JOIN trace AS t ON t.id = c.trace_id
),
numbered AS (
  SELECT side, run_id
  FROM placed
  GROUP BY side, run_id
  HAVING count(step) = count(*)
    AND min(CASE WHEN is_rising THEN 1 ELSE 0 END) = 1
    AND 2 * count(DISTINCT step) <= 3 * max(n_steps)
)
SELECT
  p.side,
  p.run_id,
  p.trace_id,
  p.step_id,
  CASE
    WHEN n.run_id IS NOT NULL
      THEN dense_rank() OVER (PARTITION BY p.side, p.run_id ORDER BY p.step)
    ELSE p.position
  END AS position
FROM placed AS p
LEFT JOIN numbered AS n ON n.side = p.side AND n.run_id = p.run_id
ORDER BY p.side, p.trace_id, position, p.step_id
