/* ---
name = "check_clock_interval"
version = 1
title = "Inconsistent clock offset"
help = """
A clock relative to itself or to a missing clock; an uncertainty below 0 or without an offset; an
offset without a recorded method.
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
n_looked_at.help = "Number of clocks of the trace"
examples.help = "Up to three clocks, with the inconsistency of each"

[changes]
1 = "first version"
--- */
WITH faulty AS (
  SELECT
    c.id,
    c.trace_id,
    c.name,
    CASE
      WHEN c.reference_clock_id = c.id THEN 'is relative to itself'
      WHEN c.reference_clock_id IS NOT NULL AND r.id IS NULL THEN 'is relative to a missing clock'
      WHEN c.uncertainty_ns < 0 THEN 'has a negative uncertainty'
      WHEN c.uncertainty_ns IS NOT NULL AND c.offset_ns IS NULL
        THEN 'has an uncertainty and no offset'
      WHEN c.offset_ns IS NOT NULL AND c.method IS NULL THEN 'has an offset without a method'
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
  FROM faulty
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
  'The clock data of the trace is inconsistent; its times in the run''s shared time are '
    || 'wrong.' AS meaning,
  'Import the trace again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
