/* ---
name = "memory_by_frame"
version = 2
title = "Allocated memory at the peak by line of code"
help = """
Only traces with recorded allocation stacks. The peak is that of memory_peak. Each allocation live
then counts once for the innermost Python line of its stack (self_bytes), and once for each line
anywhere in its stack (total_bytes). Allocations without a known stack, or without Python in it, are
in the row without a file. In a time window the peak is that of the events in it; sizes count all events
before.
"""
grain = ["trace_id", "device_kind", "device_ordinal", "file", "line", "function"]
requires = { schema = ">=6", queries = ["memory_state@1", "whole_memory_block_life@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_kind", "device_ordinal", "file", "line", "function",
  "n_allocations", "self_bytes", "total_bytes", "self_share",
]

[column]
file = { type = "VARCHAR", unit = "text", nullable = true, help = "Source file; NULL: unknown" }
line = { type = "BIGINT", unit = "count", nullable = true, help = "Line in the file" }
function.help = "Function"
self_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Sum of these allocations" }
total_bytes.help = "Sum of the allocations with the line anywhere in their stack"

[column.n_allocations]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of allocations with this innermost Python line"

[column.self_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Share of all bytes allocated at the peak; NULL if that is 0"

[changes]
2 = "in a time window, what was allocated after it does not count"
1 = "first version"
--- */
WITH state AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id, device_kind, device_ordinal
      ORDER BY allocated_bytes DESC, event_number
    ) AS place
  FROM memory_state()
  -- Only sources with stacks.
  WHERE trace_id IN (SELECT DISTINCT trace_id FROM call_frame)
),
peak AS (
  SELECT trace_id, device_kind, device_ordinal, event_number, allocated_bytes
  FROM state
  WHERE place = 1
),
life AS (
  SELECT * FROM whole_memory_block_life()
),
alive AS (
  SELECT l.trace_id, l.device_kind, l.device_ordinal, l.bytes, l.call_stack_id
  FROM life AS l
  JOIN peak AS p
    ON p.trace_id = l.trace_id
    AND p.device_kind IS NOT DISTINCT FROM l.device_kind
    AND p.device_ordinal IS NOT DISTINCT FROM l.device_ordinal
  WHERE (l.outcome = 'found' OR l.event_number <= p.event_number)
    AND (l.end_number IS NULL OR l.end_number > p.event_number)
  UNION ALL
  -- Allocated before the recorded history and still allocated when the snapshot was taken.
  SELECT
    b.trace_id, s.device_kind, s.device_ordinal, coalesce(b.requested_bytes, b.bytes),
    b.call_stack_id
  FROM memory_block AS b
  JOIN memory_segment AS s ON s.id = b.memory_segment_id
  JOIN peak AS p
    ON p.trace_id = b.trace_id
    AND p.device_kind IS NOT DISTINCT FROM s.device_kind
    AND p.device_ordinal IS NOT DISTINCT FROM s.device_ordinal
  LEFT JOIN life AS l
    ON l.outcome = 'live'
    AND l.trace_id = b.trace_id
    AND l.address = b.address
    AND l.device_kind IS NOT DISTINCT FROM s.device_kind
    AND l.device_ordinal IS NOT DISTINCT FROM s.device_ordinal
  WHERE b.state = 'active_allocated' AND l.address IS NULL
),
by_stack AS (
  SELECT
    trace_id, device_kind, device_ordinal, call_stack_id,
    count(*) AS n_allocations,
    sum(bytes) AS bytes
  FROM alive
  GROUP BY trace_id, device_kind, device_ordinal, call_stack_id
),
python_frame AS (
  SELECT
    call_stack_id, file, line, function,
    row_number() OVER (PARTITION BY call_stack_id ORDER BY depth) = 1 AS is_innermost
  FROM call_frame
  WHERE file LIKE '%.py'
),
-- A recursive line is in its stack once.
stack_line AS (
  SELECT call_stack_id, file, line, function, bool_or(is_innermost) AS is_innermost
  FROM python_frame
  GROUP BY call_stack_id, file, line, function
),
by_line AS (
  SELECT
    s.trace_id,
    s.device_kind,
    s.device_ordinal,
    f.file,
    f.line,
    f.function,
    sum(CASE WHEN coalesce(f.is_innermost, true) THEN s.n_allocations ELSE 0 END)::BIGINT
      AS n_allocations,
    sum(CASE WHEN coalesce(f.is_innermost, true) THEN s.bytes ELSE 0 END)::BIGINT AS self_bytes,
    sum(s.bytes)::BIGINT AS total_bytes
  FROM by_stack AS s
  LEFT JOIN stack_line AS f ON f.call_stack_id = s.call_stack_id
  GROUP BY s.trace_id, s.device_kind, s.device_ordinal, f.file, f.line, f.function
)
SELECT
  t.run_id,
  l.trace_id,
  t.rank,
  l.device_kind,
  l.device_ordinal,
  l.file,
  l.line,
  l.function,
  l.n_allocations,
  l.self_bytes,
  l.total_bytes,
  l.self_bytes / nullif(sum(l.self_bytes) OVER (
    PARTITION BY l.trace_id, l.device_kind, l.device_ordinal
  ), 0) AS self_share
FROM by_line AS l
JOIN trace AS t ON t.id = l.trace_id
ORDER BY
  t.run_id, t.rank, l.trace_id, l.device_kind, l.device_ordinal, l.self_bytes DESC,
  l.total_bytes DESC, l.file, l.line, l.function
