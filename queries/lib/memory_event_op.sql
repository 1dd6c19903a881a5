/* ---
name = "memory_event_op"
version = 1
title = "Innermost operator around each allocator event"
help = """
Climbs from the instant that recorded the event, on its thread. Events outside operators and events
without an instant have no row.
"""
grain = ["slice_id"]
requires = { schema = ">=6" }
scale = "trace"
columns = ["slice_id", "trace_id", "cpu_op_id", "cpu_op"]

[column]
slice_id.help = "Instant"
cpu_op_id = { nullable = false, help = "Innermost cpu_op that contains the event" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE instant AS MATERIALIZED (
  SELECT m.slice_id, m.trace_id, s.parent_id
  FROM whole_slice AS s
  JOIN whole_memory_event AS m ON m.slice_id = s.id AND m.trace_id = s.trace_id
  WHERE s.parent_id IS NOT NULL
),
-- Only the threads that matter: otherwise each round of the search would read all slices.
host AS MATERIALIZED (
  SELECT id, trace_id, parent_id, coalesce(category = 'cpu_op', false) AS is_operator
  FROM whole_slice
  WHERE trace_id IN (SELECT trace_id FROM instant)
    AND track_id IN (SELECT track_id FROM whole_memory_event)
),
ancestor AS (
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
  JOIN ancestor AS c ON c.next_id = h.id AND c.trace_id = h.trace_id
  WHERE NOT c.is_operator
)
SELECT c.slice_id, c.trace_id, c.above_id AS cpu_op_id, o.name AS cpu_op
FROM whole_cpu_op AS o
JOIN ancestor AS c ON c.above_id = o.slice_id AND c.trace_id = o.trace_id
WHERE c.is_operator
ORDER BY c.slice_id
