/* ---
name = "memory_event_op"
version = 1
title = "The innermost operator around each event of an allocator"
help = """
Found by climbing from the instant that recorded the event, on its thread. Events outside of any
operator, and those without an instant, have no row.
"""
grain = ["slice_id"]
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
WITH RECURSIVE climb AS (
  SELECT
    m.slice_id,
    m.trace_id,
    above.id AS above_id,
    above.parent_id AS next_id,
    above.name,
    coalesce(above.category = 'cpu_op', false) AS is_operator
  FROM slice AS above
  JOIN slice AS s ON s.parent_id = above.id AND s.trace_id = above.trace_id
  JOIN memory_event AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
  UNION ALL
  SELECT
    c.slice_id,
    c.trace_id,
    above.id,
    above.parent_id,
    above.name,
    coalesce(above.category = 'cpu_op', false)
  FROM slice AS above
  JOIN climb AS c ON c.next_id = above.id AND c.trace_id = above.trace_id
  WHERE NOT c.is_operator
)
SELECT slice_id, trace_id, above_id AS cpu_op_id, name AS cpu_op
FROM climb
WHERE is_operator
ORDER BY slice_id
