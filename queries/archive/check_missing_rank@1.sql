/* ---
name = "check_missing_rank"
version = 1
title = "Ranks of a job that have no trace"
help = """
The files say how many ranks the job has. With only one trace in the run this is a note: one rank
is often recorded on purpose.
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
help = "At most three ranges of ranks"

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
WITH present AS (
  SELECT
    t.run_id,
    t.rank,
    r.world_size,
    lead(t.rank) OVER (PARTITION BY t.run_id ORDER BY t.rank) AS next_rank
  FROM (SELECT DISTINCT run_id, rank FROM trace WHERE rank IS NOT NULL) AS t
  JOIN run AS r ON r.id = t.run_id
  WHERE t.rank BETWEEN 0 AND r.world_size - 1
),
gap AS (
  SELECT run_id, rank + 1 AS first_rank, coalesce(next_rank, world_size) - 1 AS last_rank
  FROM present
  UNION ALL
  SELECT run_id, 0 AS first_rank, min(rank) - 1 AS last_rank
  FROM present
  GROUP BY run_id
),
placed AS (
  SELECT
    run_id,
    first_rank,
    last_rank,
    row_number() OVER (PARTITION BY run_id ORDER BY first_rank) AS place
  FROM gap
  WHERE last_rank >= first_rank
),
captured AS (
  SELECT run_id, count(*) AS n_traces
  FROM trace
  GROUP BY run_id
),
finding AS (
  SELECT
    p.run_id,
    sum(p.last_rank - p.first_rank + 1)::BIGINT AS n_found,
    max(w.world_size) AS n_looked_at,
    max(c.n_traces) AS n_traces,
    string_agg(
      CASE
        WHEN p.place <= 3 AND p.first_rank = p.last_rank THEN 'rank ' || p.first_rank
        WHEN p.place <= 3 THEN 'ranks ' || p.first_rank || ' to ' || p.last_rank
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN captured AS c ON c.run_id = p.run_id
  JOIN run AS w ON w.id = p.run_id
  GROUP BY p.run_id
)
SELECT
  r.id AS run_id,
  r.name AS run,
  CAST(NULL AS BIGINT) AS trace_id,
  CAST(NULL AS VARCHAR) AS trace,
  CAST(NULL AS BIGINT) AS rank,
  'missing_rank' AS check_name,
  CASE WHEN f.n_traces = 1 THEN 'note' ELSE 'warning' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Ranks of the job have no trace here; figures over all ranks leave them out.' AS meaning,
  'Import their files into the same run with --run.' AS remedy
FROM finding AS f
JOIN run AS r ON r.id = f.run_id
ORDER BY r.id
