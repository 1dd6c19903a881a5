/* ---
name = "check_id_unique"
version = 3
title = "Duplicate id"
help = """
Duplicate table keys, and slices with two rows in one detail table. The schema has no constraints,
because an index over every row would make the memory of imports grow.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "NULL: every key of the trace is checked"
examples.help = "Up to three: table, column and id, number of rows"

[changes]
3 = "TPU capture commands are stored in other tables"
2 = "includes the tables of TPU captures"
1 = "first version"
--- */
WITH key AS (
  --! keys
),
-- A block of 32 consecutive ids is one number with a bit per id: fewer bits than rows mean a
-- duplicate.
block AS (
  --! key_blocks
),
repeated AS (
  SELECT k.key_name, k.id, count(*) AS n_rows
  FROM key AS k
  JOIN block AS b ON b.key_name = k.key_name AND b.block = k.id >> 5
  GROUP BY k.key_name, k.id
  HAVING count(*) > 1
),
-- Ids of links between traces are negative; such a link belongs to the trace it starts from.
between_traces AS (
  SELECT id, min(from_id) >> 32 AS trace_id
  FROM link
  WHERE trace_id IS NULL
  GROUP BY id
),
placed AS (
  SELECT
    coalesce(b.trace_id, r.id >> 32) AS trace_id,
    r.key_name,
    r.id,
    r.n_rows,
    row_number() OVER (
      PARTITION BY coalesce(b.trace_id, r.id >> 32) ORDER BY r.key_name, r.id
    ) AS place
  FROM repeated AS r
  LEFT JOIN between_traces AS b ON b.id = r.id
),
finding AS (
  SELECT
    trace_id,
    count(*) AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    string_agg(CASE WHEN place <= 3 THEN key_name || ' ' || id || ', ' || n_rows || ' times' END, '; ' ORDER BY place)
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
  'id_unique' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Rows share an id; joins count them several times.' AS meaning,
  'A program other than tw wrote to the warehouse: remove the trace with `tw drop` and '
    || 'import it again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
