/* ---
name = "check_same_rank"
version = 2
title = "Several traces of one rank"
help = """
Two recordings of one rank may be intended. Figures per rank then have several rows, and queries
that pair ranks use the first trace.
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
n_looked_at.help = "Number of timelines of the run with a known rank"
examples.help = "Rank, and the earlier trace of it"

[changes]
1 = "first version"
2 = "excludes a graph beside the timeline of its rank"
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
  WHERE rank IS NOT NULL AND kind = 'timeline'
),
finding AS (
  SELECT
    id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    n_traces AS n_looked_at,
    'rank ' || rank || ' is also the rank of trace ' || first_name AS examples
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
  'Select one with --trace, or import them as separate runs.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
