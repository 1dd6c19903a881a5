/* ---
name = "check_step_gap"
version = 1
title = "Numbers of steps that are left out"
help = """
Between two steps of a trace that follow each other in number.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "The trace; NULL: the finding is of the whole run"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "check_name"
type = "VARCHAR"
unit = "text"
help = "What was looked for"

[[column]]
name = "severity"
type = "VARCHAR"
unit = "text"
check = "IN ('error', 'warning', 'note')"
help = "error: figures are wrong; warning: some may be; note: good to know"

[[column]]
name = "n_found"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was found"

[[column]]
name = "n_looked_at"
type = "BIGINT"
unit = "count"
nullable = true
help = "Different steps of the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three gaps"

[[column]]
name = "meaning"
type = "VARCHAR"
unit = "text"
help = "What it is, and what it does to figures"

[[column]]
name = "remedy"
type = "VARCHAR"
unit = "text"
help = "What can be done"

[changes]
1 = "first version"
--- */
WITH follower AS (
  SELECT
    trace_id,
    number,
    lead(number) OVER (PARTITION BY trace_id ORDER BY number) AS next_number
  FROM (SELECT DISTINCT trace_id, number FROM step WHERE number IS NOT NULL)
),
placed AS (
  SELECT
    trace_id,
    number,
    next_number,
    row_number() OVER (PARTITION BY trace_id ORDER BY number) AS place
  FROM follower
  WHERE next_number > number + 1
),
total AS (
  SELECT trace_id, count(DISTINCT number) AS n_steps
  FROM step
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    sum(p.next_number - p.number - 1)::BIGINT AS n_found,
    max(a.n_steps) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'after step ' || p.number || ' comes ' || p.next_number
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN total AS a ON a.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'step_gap' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Numbers of steps are missing: their markers were lost, or the recording paused.' AS meaning,
  'Take no time between steps on both sides of a gap for that of one step.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
