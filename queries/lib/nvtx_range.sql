/* ---
name = "nvtx_range"
version = 1
title = "Host ranges with their nesting"
help = """
Host annotations that are not marks; push/pop ranges nest, start/end ranges do not. Names are
prefixed with their domain. Unfinished ranges have duration 0.
"""
grain = ["range_id"]
requires = { schema = ">=13", queries = ["annotation_above@1"] }
portable = false
columns = [
  "range_id", "trace_id", "style", "range_name", "start_ns", "dur_ns", "pid", "tid", "parent_id",
]

[column]
range_id.help = "Range"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"

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
