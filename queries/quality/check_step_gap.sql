/* ---
name = "check_step_gap"
version = 1
title = "Gap in step numbers"
help = """
Numbers missing between two consecutive steps of a trace.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of distinct steps of the trace"
examples.help = "Up to three gaps"

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
  'Step numbers are missing: their markers were lost, or the recording paused.' AS meaning,
  'Do not read the time between the steps on both sides of a gap as one step.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
