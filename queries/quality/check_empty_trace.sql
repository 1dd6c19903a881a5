/* ---
name = "check_empty_trace"
version = 1
title = "Traces that hold nothing"
help = """
A trace without slices, counters, graphs, allocations and metrics.
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
help = "NULL"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "NULL"

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
WITH used AS (
  SELECT DISTINCT trace_id FROM slice
  UNION ALL
  SELECT DISTINCT trace_id FROM counter
  UNION ALL
  SELECT DISTINCT trace_id FROM graph
  UNION ALL
  SELECT DISTINCT trace_id FROM memory_event
  UNION ALL
  SELECT DISTINCT trace_id FROM metric
),
finding AS (
  SELECT
    id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    CAST(NULL AS VARCHAR) AS examples
  FROM trace
  WHERE id NOT IN (SELECT trace_id FROM used)
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'empty_trace' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The file was read and nothing of it is on a timeline or in a graph.' AS meaning,
  'Look at what the recording was told to record; `tw drop` removes the trace.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
