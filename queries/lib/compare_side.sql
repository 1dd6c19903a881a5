/* ---
name = "compare_side"
version = 1
title = "Traces on both sides of a comparison"
help = """
A text is tried as tag:NAME or latest, as run name, as run id, and as RUN/TRACE with a name or id
each; the first match is used. A side may hold several traces, and both sides may hold the same.
Text without a match gives no rows. Ids are those printed by `tw runs --traces`.
"""
grain = ["side", "trace_id"]
requires = { schema = ">=1" }
columns = ["side", "trace_id"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }

[changes]
1 = "first version"
--- */
WITH arrival AS (
  SELECT t.run_id, greatest(r.created_at, max(t.imported_at)) AS imported_at, max(t.id) AS last_id
  FROM trace AS t
  JOIN run AS r ON r.id = t.run_id
  GROUP BY t.run_id, r.created_at
),
latest AS (
  SELECT run_id
  FROM (SELECT run_id, row_number() OVER (ORDER BY imported_at DESC, last_id DESC) AS place FROM arrival)
  WHERE place = 1
),
reading AS (
  SELECT t.id AS trace_id, 1 AS precedence, 'latest' AS text
  FROM trace AS t
  JOIN latest AS l ON l.run_id = t.run_id
  UNION ALL
  SELECT t.id, 1, 'tag:' || g.name
  FROM trace AS t
  JOIN tag AS g ON g.run_id = t.run_id
  UNION ALL
  SELECT t.id, 2, r.name
  FROM trace AS t
  JOIN run AS r ON r.id = t.run_id
  UNION ALL
  SELECT t.id, 3, CAST(t.run_id AS VARCHAR)
  FROM trace AS t
  UNION ALL
  SELECT t.id, 4, r.name || '/' || t.name
  FROM trace AS t
  JOIN run AS r ON r.id = t.run_id
  UNION ALL
  SELECT t.id, 5, r.name || '/' || t.id
  FROM trace AS t
  JOIN run AS r ON r.id = t.run_id
  UNION ALL
  SELECT t.id, 6, t.run_id || '/' || t.name
  FROM trace AS t
  UNION ALL
  SELECT t.id, 7, t.run_id || '/' || t.id
  FROM trace AS t
),
fitting AS (
  SELECT 'a' AS side, trace_id, precedence
  FROM reading
  WHERE text = $a::VARCHAR
  UNION ALL
  SELECT 'b' AS side, trace_id, precedence
  FROM reading
  WHERE text = $b::VARCHAR
),
best AS (
  SELECT side, min(precedence) AS precedence
  FROM fitting
  GROUP BY side
)
SELECT DISTINCT f.side, f.trace_id
FROM fitting AS f
JOIN best AS b ON b.side = f.side AND b.precedence = f.precedence
