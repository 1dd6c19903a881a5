/* ---
name = "check_rank_range"
version = 1
title = "Ranks that their job does not have"
help = """
The files of a run give a number of ranks and a rank outside of it.
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
help = "Ranks of the job"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The rank"

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
WITH finding AS (
  SELECT
    t.id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    r.world_size AS n_looked_at,
    'rank ' || t.rank || ' of ' || r.world_size AS examples
  FROM trace AS t
  JOIN run AS r ON r.id = t.run_id
  WHERE t.rank < 0 OR t.rank >= r.world_size
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'rank_range' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The rank is no rank of the job as its files describe it: traces of several jobs may '
    || 'be mixed.' AS meaning,
  'Import each job as a run of its own with --run.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
