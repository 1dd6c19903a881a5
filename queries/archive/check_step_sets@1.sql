/* ---
name = "check_step_sets"
version = 1
title = "Ranks that recorded other steps than the rest of their run"
help = """
Steps are compared by number, over all traces of a run of which at least one has steps.
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
help = "Different steps of all traces of the run"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three missing steps"

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
WITH recorded AS (
  SELECT DISTINCT trace_id, number
  FROM step
  WHERE number IS NOT NULL
),
wanted AS (
  SELECT DISTINCT t.run_id, s.number
  FROM recorded AS s
  JOIN trace AS t ON t.id = s.trace_id
),
lacking AS (
  SELECT
    t.id AS trace_id,
    w.number,
    s.number IS NULL AS is_missing,
    row_number() OVER (PARTITION BY t.id, s.number IS NULL ORDER BY w.number) AS place
  FROM trace AS t
  JOIN wanted AS w ON w.run_id = t.run_id
  LEFT JOIN recorded AS s ON s.trace_id = t.id AND s.number = w.number
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
  'The trace lacks steps that other traces of its run have; sums over ranks compare '
    || 'unlike amounts of work.' AS meaning,
  'Compare per step, or choose a time window with the steps all ranks have.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
