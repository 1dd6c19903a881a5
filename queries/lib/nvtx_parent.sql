/* ---
name = "nvtx_parent"
version = 1
title = "The range directly around each range"
help = """
Of the ranges of the same thread that contain a range, the shortest, and of equally long ones the
last to begin; ranges of several domains and start/end ranges may cross. Of ranges of equal times
each contains the next one. Outermost ranges have no row.
"""
grain = ["range_id"]
requires = { schema = ">=13", queries = ["annotation_extent@1"] }
scale = "trace"
columns = ["range_id", "parent_id"]

[param.only_push_pop]
type = "BOOLEAN"
help = "Ignore start/end ranges"

[column]
range_id.help = "Range"
parent_id.nullable = false

[changes]
1 = "first version"
--- */
WITH range AS MATERIALIZED (
  SELECT
    e.slice_id,
    e.thread_key,
    e.start_ns,
    e.end_ns,
    -- A range is shorter than 2^level ns.
    floor(log2(greatest(e.end_ns - e.start_ns, 1)))::BIGINT + 1 AS level
  FROM annotation_extent() AS e
  JOIN whole_annotation AS a ON a.slice_id = e.slice_id
  WHERE coalesce(a.style, 'push_pop') <> 'mark'
    AND (NOT $only_push_pop::BOOLEAN OR coalesce(a.style, 'push_pop') = 'push_pop')
),
level AS MATERIALIZED (
  SELECT level, power(2, level)::BIGINT AS width_ns
  FROM (SELECT DISTINCT level FROM range)
),
-- Ranges by the pieces of time of 2^level ns in which they lie, one or two: those that contain a
-- time are in one piece of each level, of which none has many more than are open at one time.
piece AS (
  SELECT r.*, r.start_ns // l.width_ns AS number
  FROM range AS r
  JOIN level AS l ON l.level = r.level
  UNION ALL
  SELECT r.*, r.end_ns // l.width_ns
  FROM range AS r
  JOIN level AS l ON l.level = r.level
  WHERE r.end_ns // l.width_ns <> r.start_ns // l.width_ns
),
-- The pieces in which a range's start lies. Materialized, so that no range is compared with all
-- others of its thread.
place AS MATERIALIZED (
  SELECT
    c.slice_id, c.thread_key, c.start_ns, c.end_ns, l.level, c.start_ns // l.width_ns AS number
  FROM range AS c
  JOIN level AS l ON l.level >= c.level
),
pair AS (
  SELECT
    c.slice_id AS range_id,
    p.slice_id AS parent_id,
    p.start_ns,
    p.end_ns,
    p.start_ns = c.start_ns AND p.end_ns = c.end_ns AS is_equal
  FROM place AS c
  JOIN piece AS p
    ON p.thread_key = c.thread_key AND p.level = c.level AND p.number = c.number
    AND p.start_ns <= c.start_ns AND p.end_ns >= c.end_ns
)
SELECT
  range_id,
  min_by(parent_id, (end_ns - start_ns, -start_ns, -parent_id)) AS parent_id
FROM pair
WHERE NOT is_equal
  OR parent_id < range_id
GROUP BY range_id
