/* ---
name = "check_rank_range"
version = 1
title = "Rank outside world size"
help = """
Source files of a run that give a number of ranks and a rank outside it.
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
n_looked_at.help = "Number of ranks of the job"
examples.help = "Rank outside the world size"

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
  'The rank is outside the world size recorded in the files: traces of several jobs may '
    || 'be mixed.' AS meaning,
  'Import each job as a separate run with --run.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
