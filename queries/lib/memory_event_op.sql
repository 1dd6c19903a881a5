/* ---
name = "memory_event_op"
version = 1
title = "The innermost operator around each event of an allocator"
help = """
Found by climbing from the instant that recorded the event, on its thread. Events outside of any
operator, and those without an instant, have no row.
"""
grain = ["slice_id"]
portable = false
requires = { schema = ">=6" }

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The instant"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "cpu_op_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The innermost cpu_op that contains it"

[[column]]
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[changes]
1 = "first version"
--- */
WITH RECURSIVE instant AS MATERIALIZED (
  SELECT m.slice_id, m.trace_id, s.parent_id
  FROM slice AS s
  JOIN memory_event AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
  WHERE s.parent_id IS NOT NULL
),
-- Only the threads that allocate: each round of the climb would read all slices otherwise.
host AS MATERIALIZED (
  SELECT id, trace_id, parent_id, coalesce(category = 'cpu_op', false) AS is_operator
  FROM slice
  WHERE trace_id IN (SELECT trace_id FROM instant)
    AND track_id IN (SELECT track_id FROM memory_event)
),
climb AS (
  SELECT
    slice_id,
    trace_id,
    CAST(NULL AS BIGINT) AS above_id,
    parent_id AS next_id,
    false AS is_operator
  FROM instant
  UNION ALL
  SELECT c.slice_id, c.trace_id, h.id, h.parent_id, h.is_operator
  FROM host AS h
  JOIN climb AS c ON c.next_id = h.id AND c.trace_id = h.trace_id
  WHERE NOT c.is_operator
)
SELECT c.slice_id, c.trace_id, c.above_id AS cpu_op_id, o.name AS cpu_op
FROM cpu_op AS o
JOIN climb AS c ON c.above_id = o.slice_id AND c.trace_id = o.trace_id
WHERE c.is_operator
ORDER BY c.slice_id
