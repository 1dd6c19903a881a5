/* ---
name = "check_same_rank"
version = 1
title = "Several traces of one rank in a run"
help = """
Two recordings of one rank may follow each other on purpose. Figures by rank then have several
rows, and those that pair ranks take the first.
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
help = "Traces of the run whose rank is known"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The rank, and the earlier trace"

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
WITH placed AS (
  SELECT
    id,
    run_id,
    rank,
    name,
    row_number() OVER (PARTITION BY run_id, rank ORDER BY id) AS place,
    first_value(name) OVER (PARTITION BY run_id, rank ORDER BY id) AS first_name,
    count(*) OVER (PARTITION BY run_id) AS n_traces
  FROM trace
  WHERE rank IS NOT NULL
),
finding AS (
  SELECT
    id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    n_traces AS n_looked_at,
    'rank ' || rank || ' is also that of trace ' || first_name AS examples
  FROM placed
  WHERE place > 1
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'same_rank' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The run has an earlier trace of this rank; sums over the run count the rank twice.' AS meaning,
  'Choose one with --trace, or import them as runs of their own.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
