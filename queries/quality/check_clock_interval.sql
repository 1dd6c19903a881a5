/* ---
name = "check_clock_interval"
version = 1
title = "Clocks whose offsets contradict themselves"
help = """
A clock that is relative to itself or to a clock that is not there; an uncertainty below 0, or
without an offset; an offset of which nobody says how it was found.
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
help = "Clocks of the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three clocks, and what is wrong with each"

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
WITH odd AS (
  SELECT
    c.id,
    c.trace_id,
    c.name,
    CASE
      WHEN c.reference_clock_id = c.id THEN 'is relative to itself'
      WHEN c.reference_clock_id IS NOT NULL AND r.id IS NULL THEN 'is relative to no known clock'
      WHEN c.uncertainty_ns < 0 THEN 'has a negative uncertainty'
      WHEN c.uncertainty_ns IS NOT NULL AND c.offset_ns IS NULL
        THEN 'has an uncertainty and no offset'
      WHEN c.offset_ns IS NOT NULL AND c.method IS NULL THEN 'has an offset of unknown origin'
    END AS fault
  FROM clock AS c
  LEFT JOIN clock AS r ON r.id = c.reference_clock_id
),
placed AS (
  SELECT
    id,
    trace_id,
    name,
    fault,
    row_number() OVER (PARTITION BY trace_id, fault IS NULL ORDER BY id) AS place
  FROM odd
),
finding AS (
  SELECT
    trace_id,
    sum(CASE WHEN fault IS NOT NULL THEN 1 ELSE 0 END)::BIGINT AS n_found,
    count(*) AS n_looked_at,
    string_agg(
      CASE
        WHEN fault IS NOT NULL AND place <= 3
        THEN 'clock ' || id || ', ' || name || ', ' || fault
      END,
      '; ' ORDER BY place
    ) AS examples
  FROM placed
  GROUP BY trace_id
  HAVING sum(CASE WHEN fault IS NOT NULL THEN 1 ELSE 0 END) > 0
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'clock_interval' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'What is known of the trace''s clocks contradicts itself; times on the shared scale '
    || 'are wrong.' AS meaning,
  'Import the trace again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
