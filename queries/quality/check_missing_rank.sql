/* ---
name = "check_missing_rank"
version = 2
title = "Missing rank"
help = """
Ranks of a job without a trace; the source files record the number of ranks. A note if the run has a
single trace, because recording one rank is common. Ranks that a selection leaves out count as missing, so
check whole runs.
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
n_looked_at.help = "Number of ranks of the job"
examples.help = "Up to three ranges of ranks"

[changes]
1 = "first version"
2 = "counts only timelines: a rank that has only a graph is missing"
--- */
WITH present AS (
  SELECT
    t.run_id,
    t.rank,
    r.world_size,
    lead(t.rank) OVER (PARTITION BY t.run_id ORDER BY t.rank) AS next_rank
  FROM (SELECT DISTINCT run_id, rank FROM trace WHERE rank IS NOT NULL AND kind = 'timeline') AS t
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
  WHERE kind = 'timeline'
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
  'Ranks of the job have no trace in the warehouse; figures over all ranks exclude them.' AS meaning,
  'Import their files into the same run with --run.' AS remedy
FROM finding AS f
JOIN run AS r ON r.id = f.run_id
ORDER BY r.id
