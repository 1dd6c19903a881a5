/* ---
name = "check_reference"
version = 3
title = "Reference to a missing row"
help = """
All references of the schema within a trace: to slices, tracks, threads, processes, devices, clocks,
flows and graphs. In a time window rows refer to others outside of it, so check without one.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=14" }
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "NULL: every reference of the trace is checked"
examples.help = "Up to three: table, column and missing id"

[changes]
3 = "TPU capture commands are stored in other tables"
2 = "includes the tables of TPU captures"
1 = "first version"
--- */
WITH reference AS (
  --! references
),
target AS (
  --! targets
),
extent AS (
  --! extents
),
-- Ids of a trace are written without gaps; then an id between the first and the last exists, and if
-- the lowest and highest reference do, all do.
span AS (
  --! spans
),
suspect AS (
  SELECT s.reference_name, s.trace_id
  FROM span AS s
  LEFT JOIN extent AS e ON e.table_name = s.table_name AND e.trace_id = s.trace_id
  WHERE e.trace_id IS NULL
    OR NOT e.is_dense
    OR s.first_id < e.first_id
    OR s.last_id > e.last_id
),
doubtful AS (
  SELECT r.reference_name, r.table_name, r.trace_id, r.id
  FROM reference AS r
  JOIN suspect AS s ON s.reference_name = r.reference_name AND s.trace_id = r.trace_id
),
dangling AS (
  SELECT d.reference_name, d.trace_id, d.id
  FROM doubtful AS d
  LEFT JOIN (
    SELECT table_name, id
    FROM target
    WHERE trace_id IN (SELECT trace_id FROM suspect)
  ) AS a ON a.table_name = d.table_name AND a.id = d.id
  WHERE a.id IS NULL
),
placed AS (
  SELECT
    reference_name,
    trace_id,
    id,
    row_number() OVER (PARTITION BY trace_id ORDER BY reference_name, id) AS place
  FROM dangling
),
finding AS (
  SELECT
    trace_id,
    count(*) AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    string_agg(CASE WHEN place <= 3 THEN reference_name || ' ' || id END, '; ' ORDER BY place)
      AS examples
  FROM placed
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'reference' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Rows refer to rows that do not exist; joins drop them.' AS meaning,
  'A program other than tw wrote to the warehouse: remove the trace with `tw drop` and '
    || 'import it again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
