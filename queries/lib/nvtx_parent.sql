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
-- Threads are 2^64 ns apart, so that two inequalities find the ranges around each, which is fast.
WITH range AS MATERIALIZED (
  SELECT
    e.slice_id,
    e.thread_key * 18446744073709551616 + e.start_ns AS start_key,
    e.thread_key * 18446744073709551616 + e.end_ns AS end_key
  FROM annotation_extent() AS e
  JOIN whole_annotation AS a ON a.slice_id = e.slice_id
  WHERE coalesce(a.style, 'push_pop') <> 'mark'
    AND (NOT $only_push_pop::BOOLEAN OR coalesce(a.style, 'push_pop') = 'push_pop')
),
pair AS (
  SELECT
    c.slice_id AS range_id,
    p.slice_id AS parent_id,
    p.start_key,
    p.end_key,
    p.start_key = c.start_key AND p.end_key = c.end_key AS is_equal
  FROM range AS c
  JOIN range AS p ON p.start_key <= c.start_key AND p.end_key >= c.end_key
)
SELECT
  range_id,
  min_by(parent_id, (end_key - start_key, -start_key, -parent_id)) AS parent_id
FROM pair
WHERE NOT is_equal
  OR parent_id < range_id
GROUP BY range_id
