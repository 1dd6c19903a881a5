/* ---
name = "check_empty_trace"
version = 2
title = "Empty trace"
help = """
A trace without slices, counters, graphs, allocations and metrics, inside or outside of a time window.
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
n_looked_at.help = "Always NULL"
examples.help = "Always NULL"

[changes]
2 = "traces with data outside of the time window only are not empty"
1 = "first version"
--- */
WITH used AS (
  SELECT DISTINCT trace_id FROM whole_slice
  UNION ALL
  SELECT DISTINCT trace_id FROM whole_counter
  UNION ALL
  SELECT DISTINCT trace_id FROM graph
  UNION ALL
  SELECT DISTINCT trace_id FROM whole_memory_event
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
  'The file was read, but it contains no timeline and no graph.' AS meaning,
  'Check what the profiler was configured to record; `tw drop` removes the trace.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
