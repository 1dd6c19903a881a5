/* ---
name = "check_step_sets"
version = 4
title = "Steps differ between ranks"
help = """
Compares steps by number over all ranks of a run, if at least one has steps. In a time window, those that run
in it on any trace. What a rank recorded in several traces counts together, and the finding names the first.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=11" }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of distinct steps over all ranks of the run"
examples.help = "Up to three missing steps"

[changes]
4 = "steps of all traces of a rank count together"
3 = "a step that a trace has outside of the time window is not missing"
1 = "first version"
2 = "excludes graph traces, which have no steps"
--- */
WITH timeline AS (
  SELECT
    id AS trace_id,
    run_id,
    CASE WHEN rank IS NULL THEN id ELSE min(id) OVER (PARTITION BY run_id, rank) END AS first_trace_id
  FROM trace
  WHERE kind = 'timeline'
),
recorded AS (
  SELECT DISTINCT t.first_trace_id, s.number
  FROM whole_step AS s
  JOIN timeline AS t ON t.trace_id = s.trace_id
  WHERE s.number IS NOT NULL
),
expected AS (
  SELECT DISTINCT t.run_id, s.number
  FROM step AS s
  JOIN trace AS t ON t.id = s.trace_id
  WHERE s.number IS NOT NULL
),
lacking AS (
  SELECT
    t.trace_id,
    w.number,
    s.number IS NULL AS is_missing,
    row_number() OVER (PARTITION BY t.trace_id, s.number IS NULL ORDER BY w.number) AS place
  FROM timeline AS t
  JOIN expected AS w ON w.run_id = t.run_id
  LEFT JOIN recorded AS s ON s.first_trace_id = t.trace_id AND s.number = w.number
  WHERE t.trace_id = t.first_trace_id
),
finding AS (
  SELECT
    trace_id,
    sum(CASE WHEN is_missing THEN 1 ELSE 0 END)::BIGINT AS n_found,
    count(*) AS n_looked_at,
    string_agg(CASE WHEN is_missing AND place <= 3 THEN 'step ' || number END, '; ' ORDER BY place)
      AS examples
  FROM lacking
  GROUP BY trace_id
  HAVING sum(CASE WHEN is_missing THEN 1 ELSE 0 END) > 0
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'step_sets' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The rank lacks steps that other ranks of the run have; sums over ranks compare '
    || 'different amounts of work.' AS meaning,
  'Compare per step, or use a time window with steps that all ranks have.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
