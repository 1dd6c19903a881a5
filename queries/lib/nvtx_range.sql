/* ---
name = "nvtx_range"
version = 1
title = "Ranges of the host with their place among each other"
help = """
Of annotations on the host that are no marks; push and pop nest, start and end do not. Names have
their domain before them. What never ended has length 0.
"""
grain = ["range_id"]
portable = false
requires = { schema = ">=13", queries = ["annotation_above@1"] }

[[column]]
name = "range_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The range"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "style"
type = "VARCHAR"
unit = "text"
nullable = true
help = "push_pop or start_end; ranges of sources that do not say are push_pop"

[[column]]
name = "range_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the range, behind its domain where it has one: domain:name"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Thread"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The range right above"

[changes]
1 = "first version"
--- */
SELECT
  a.slice_id AS range_id,
  a.trace_id,
  coalesce(a.style, 'push_pop') AS style,
  concat(a.domain || ':', a.name) AS range_name,
  a.ts AS start_ns,
  greatest(a.dur, 0) AS dur_ns,
  p.pid,
  h.tid,
  u.above_id AS parent_id
FROM annotation AS a
LEFT JOIN annotation_above() AS u ON u.slice_id = a.slice_id
LEFT JOIN track AS k ON k.id = a.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN process AS p ON p.id = coalesce(h.process_id, k.process_id)
WHERE a.side = 'host'
  AND coalesce(a.style, 'push_pop') <> 'mark'
