/* ---
name = "what_if_recompute_problem"
version = 1
title = "Why parts of a graph cannot be computed again"
help = """
No row: they can. A part must not write what it did not make, and what it takes must not be written until it
runs again, or it would not compute the same.
"""
grain = ["kind"]
requires = { schema = ">=17", queries = ["memory_node@2", "memory_use@1"] }
columns = ["kind", "problem", "remedy"]

[param.parts]
type = "VARCHAR"
help = "Parts that run again, as 17-98@1045,98-150@900"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none, 2_text, 3_order, 4_overlap, 5_write, 6_changed" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
WITH text AS (
  SELECT DISTINCT trim(unnest(string_split($parts::VARCHAR, ','))) AS text
),
named AS (
  SELECT text, regexp_extract(text, '^(\d+)-(\d+)@(\d+)$', ['a', 'b', 'c']) AS part FROM text
),
part AS MATERIALIZED (
  SELECT
    text, TRY_CAST(part.a AS BIGINT) AS from_order, TRY_CAST(part.b AS BIGINT) AS to_order,
    TRY_CAST(part.c AS BIGINT) AS again_order
  FROM named
),
graph_size AS MATERIALIZED (
  SELECT graph_id, max(place) AS last_order FROM memory_node() WHERE side = 'host' GROUP BY graph_id
),
use AS MATERIALIZED (
  SELECT
    u.*,
    CASE WHEN bool_or(is_birth) OVER one_life THEN min(place) OVER one_life ELSE -1 END AS first_order
  FROM memory_use() AS u
  WHERE u.graph_id IN (SELECT graph_id FROM graph_size)
  WINDOW one_life AS (PARTITION BY graph_id, device, storage_id, life)
),
taken AS (
  SELECT p.text, p.to_order, p.again_order, u.graph_id, u.device, u.storage_id, u.life, bool_or(u.is_written) AS is_written
  FROM part AS p
  JOIN use AS u ON u.place >= p.from_order AND u.place < p.to_order AND u.first_order < p.from_order
  GROUP BY ALL
)
SELECT '1_none' AS kind, 'the run has no graph whose tensors are recorded' AS problem,
  'Import an execution trace beside the timeline, a Chakra file, or a dPRO trial with the shapes of its forward operators.' AS remedy
WHERE NOT EXISTS (FROM graph_size)
UNION ALL
SELECT '2_text', 'part ' || min(text) || ' is not FROM-TO@AGAIN', 'Write places of calls, as 17-98@1045.'
FROM part
WHERE from_order IS NULL OR to_order IS NULL OR again_order IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '3_order', 'part ' || min(p.text) || ' is out of order: FROM < TO <= AGAIN <= ' || min(g.last_order) || ', the last call',
  'memory_by_tensor_lifetime has the places (first_order, last_order).'
FROM part AS p
JOIN graph_size AS g ON p.from_order >= p.to_order OR p.to_order > p.again_order OR p.again_order > g.last_order
HAVING count(*) > 0
UNION ALL
SELECT '4_overlap', 'parts ' || min(a.text || ' and ' || b.text) || ' overlap', 'Give each call to one part.'
FROM part AS a
JOIN part AS b ON a.from_order < b.to_order AND b.from_order < a.to_order
  AND (a.from_order, a.text) < (b.from_order, b.text)
HAVING count(*) > 0
UNION ALL
SELECT '5_write', 'part ' || min(text) || ' writes storages that it did not make, such as ' || min(storage_id),
  'Leave the calls that write them out of the part.'
FROM taken
WHERE is_written
HAVING count(*) > 0
UNION ALL
SELECT '6_changed', 'what part ' || min(t.text) || ' takes is written before it runs again, such as storage ' || min(t.storage_id),
  'Run the part again earlier, or leave the calls that take it out.'
FROM taken AS t
JOIN use AS u
  ON u.graph_id = t.graph_id AND u.device = t.device AND u.storage_id = t.storage_id AND u.life = t.life
WHERE u.is_written AND u.place >= t.to_order AND u.place < t.again_order
HAVING count(*) > 0
ORDER BY kind
