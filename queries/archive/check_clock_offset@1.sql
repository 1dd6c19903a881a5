/* ---
name = "check_clock_offset"
version = 1
title = "Traces of a run whose clocks were not brought together"
help = """
In a run of several traces, those whose clock has no offset to the time they share.
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
help = "Traces of the run"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The clock"

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
WITH many AS (
  SELECT run_id, count(*) AS n_traces
  FROM trace
  GROUP BY run_id
  HAVING count(*) > 1
),
finding AS (
  SELECT
    t.id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    m.n_traces AS n_looked_at,
    coalesce('clock ' || c.id || ': ' || c.name, 'no clock') AS examples
  FROM trace AS t
  JOIN many AS m ON m.run_id = t.run_id
  LEFT JOIN clock AS c ON c.id = t.clock_id
  WHERE c.offset_ns IS NULL
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'clock_offset' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'It is not known how the trace''s clock relates to those of other ranks: their times '
    || 'are not comparable.' AS meaning,
  'Compare durations, not times, of different ranks, or import all ranks so that '
    || 'collectives tell the offsets.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
